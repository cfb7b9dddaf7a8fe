#include "tools/tutorials/spacy/affixes.h"

#include <algorithm>

#include "data/unicode.h"

namespace xf::data::spacy {
namespace {

bool contains(const CharacterSet& set, char32_t c) { return set.contains(static_cast<UChar32>(c)); }

void freeze(AffixRule& rule) {
  for (CharacterSet& set : rule.before) set.freeze();
  for (CharacterSet* set : {&rule.one, &rule.after, &rule.not_after}) set->freeze();
}

bool fits_before(const AffixRule& rule, std::u32string_view text, size_t at) {
  const size_t count = rule.before.size();
  if (at < count) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!contains(rule.before[i], text[at - count + i])) return false;
  }
  return true;
}

bool fits_after(const AffixRule& rule, std::u32string_view text, size_t end) {
  if (!rule.after.isEmpty() && (end >= text.size() || !contains(rule.after, text[end]))) return false;
  return rule.not_after.isEmpty() || end >= text.size() || !contains(rule.not_after, text[end]);
}

// Length of what the rule matches at `at`, and up to the text's end if `to_end`; 0 if it does not.
size_t match(const AffixRule& rule, std::u32string_view text, size_t at, bool to_end) {
  if (!fits_before(rule, text, at)) return 0;
  const auto fits = [&](size_t length) {
    return (!to_end || at + length == text.size()) && fits_after(rule, text, at + length);
  };
  if (!rule.one.isEmpty() && contains(rule.one, text[at]) && fits(1)) return 1;
  for (const std::u32string& candidate : rule.texts) {
    if (text.substr(at).starts_with(candidate) && fits(candidate.size())) return candidate.size();
  }
  if (!rule.dots) return 0;
  const size_t dots = std::min(text.find_first_not_of(U'.', at), text.size()) - at;
  return dots >= 2 && fits(dots) ? dots : 0;
}

size_t first_match(const std::vector<AffixRule>& rules, std::u32string_view text, size_t at, bool to_end) {
  for (const AffixRule& rule : rules) {
    if (const size_t length = match(rule, text, at, to_end); length > 0) return length;
  }
  return 0;
}

CharacterSet joined(std::initializer_list<CharacterSet> sets) {
  CharacterSet all;
  for (const CharacterSet& set : sets) all.addAll(set);
  return all;
}

// Units of measurement, behind a number. "тбكم" is two of them that spaCy's list runs together.
constexpr std::string_view kUnits =
    "km km² km³ m m² m³ dm dm² dm³ cm cm² cm³ mm mm² mm³ ha µm nm yd in ft kg g mg µg t lb oz "
    "m/s km/h kmh mph hPa Pa mbar mb MB kb KB gb GB tb TB T G M K % "
    "км км² км³ м м² м³ дм дм² дм³ см см² см³ мм мм² мм³ нм кг г мг м/с км/ч кПа Па мбар "
    "Кб КБ кб Мб МБ мб Гб ГБ гб Тб ТБ "
    "тбكم كم² كم³ م م² م³ سم سم² سم³ مم مم² مم³ كم غرام جرام جم كغ ملغ كوب اكواب";

std::vector<std::u32string> units() {
  std::vector<std::u32string> list;
  for (const std::string_view unit : split_on_space(kUnits)) list.push_back(to_utf32(unit));
  return list;
}

const std::vector<std::u32string> kDollars = {U"US$", U"C$", U"A$"};

std::vector<AffixRule> prefix_rules(const Characters& c, bool german_v3) {
  std::vector<AffixRule> rules;
  if (german_v3) rules.push_back({.texts = {U"``"}});
  rules.push_back({.one = joined({character_set("[\\u00A7%=\\u2014\\u2013]"), c.punctuation, c.quotes,
                                  c.currency, c.icons})});
  rules.push_back({.one = character_set("[+]"), .not_after = c.digits});
  rules.push_back({.texts = kDollars, .dots = true});
  return rules;
}

std::vector<AffixRule> suffix_rules(const Characters& c, bool german_v3) {
  CharacterSet before_stop =
      joined({c.lower, c.punctuation, c.quotes, character_set("[%\\u00B2\\-+|?\\:()]")});
  AffixRule marks{
      .one = joined({c.punctuation, c.quotes, c.icons}), .texts = {U"\u2026\u2026"}, .dots = true};
  if (german_v3) {
    marks.one = joined({marks.one, character_set("[/]")});
    marks.texts.push_back(U"''");
  } else {
    before_stop = joined({before_stop, c.digits});
    marks.one = joined({marks.one, character_set("[\\u2013\\u2014]")});
    marks.texts.insert(marks.texts.end(), {U"'s", U"'S", U"’s", U"’S"});
  }
  const CharacterSet stop = character_set("[.]");
  return {marks,
          {.before = {c.digits}, .one = joined({c.currency, character_set("[+]")}), .texts = kDollars},
          {.before = {c.digits}, .texts = units()},
          {.before = {character_set("[\\u00B0]"), character_set("[FfCcKk]")}, .one = stop},
          {.before = {before_stop}, .one = stop},
          {.before = {c.upper, c.upper}, .one = stop}};
}

std::vector<AffixRule> english_infixes(const Characters& c, bool v3) {
  const CharacterSet alpha_or_digit = joined({c.alpha, c.digits});
  return {{.one = joined({c.icons, character_set("[\\u2026]")}), .dots = true},
          {.before = {c.digits},
           .one = character_set("[+\\-*\\^]"),
           .after = joined({c.digits, character_set("[\\-]")})},
          {.before = {joined({c.lower, c.quotes})},
           .one = character_set("[.]"),
           .after = joined({c.upper, c.quotes})},
          {.before = {c.alpha}, .one = character_set("[,]"), .after = c.alpha},
          {.before = {v3 ? alpha_or_digit : c.alpha},
           .texts = {U"-", U"–", U"—", U"--", U"---", U"——", U"~"},
           .after = c.alpha},
          {.before = {alpha_or_digit}, .one = character_set("[\\:<>=/]"), .after = c.alpha}};
}

std::vector<AffixRule> german_infixes(const Characters& c, bool v3) {
  CharacterSet apart = joined({c.quotes, character_set("[,!?\\:<>=)\\]\\[(]")});
  apart.remove(U'\'');
  std::vector<AffixRule> rules = {{.one = joined({c.icons, character_set("[\\u2026]")}), .dots = true},
                                  {.before = {c.lower}, .one = character_set("[.]"), .after = c.upper},
                                  {.before = {c.alpha}, .one = apart, .texts = {U"--"}, .after = c.alpha},
                                  {.before = {c.digits}, .one = character_set("[\\-]"), .after = c.digits}};
  const CharacterSet alpha_or_digit = joined({c.alpha, c.digits});
  if (v3) rules.push_back({.before = {alpha_or_digit}, .one = character_set("[/]"), .after = alpha_or_digit});
  return rules;
}

Affixes make(SpacyRules rules, SpacyLanguage language) {
  const Characters& c = characters(rules);
  const bool v3 = rules == SpacyRules::v3, german = language == SpacyLanguage::german;
  Affixes made{prefix_rules(c, german && v3), suffix_rules(c, german && v3),
               german ? german_infixes(c, v3) : english_infixes(c, v3)};
  for (auto* list : {&made.prefixes, &made.suffixes, &made.infixes}) {
    for (AffixRule& rule : *list) freeze(rule);
  }
  for (const AffixRule& rule : made.suffixes) {
    for (const std::u32string& suffix : rule.texts)
      made.longest_suffix = std::max(made.longest_suffix, suffix.size());
  }
  return made;
}

}  // namespace

const Affixes& affixes(SpacyRules rules, SpacyLanguage language) {
  static const Affixes made[2][2] = {
      {make(SpacyRules::v2_2, SpacyLanguage::english), make(SpacyRules::v2_2, SpacyLanguage::german)},
      {make(SpacyRules::v3, SpacyLanguage::english), make(SpacyRules::v3, SpacyLanguage::german)}};
  return made[rules == SpacyRules::v3][language == SpacyLanguage::german];
}

size_t prefix_length(const Affixes& affixes, std::u32string_view text) {
  return text.empty() ? 0 : first_match(affixes.prefixes, text, 0, false);
}

// A suffix is dots, or no longer than the longest of the rules' texts: what lies before need not be
// looked at.
size_t suffix_length(const Affixes& affixes, std::u32string_view text) {
  const size_t dots = text.size() - (text.find_last_not_of(U'.') + 1);
  const size_t most = std::max(dots, affixes.longest_suffix);
  for (size_t at = text.size() - std::min(most, text.size()); at < text.size(); ++at) {
    if (const size_t length = first_match(affixes.suffixes, text, at, true); length > 0) return length;
  }
  return 0;
}

size_t infix_length(const Affixes& affixes, std::u32string_view text, size_t at) {
  return first_match(affixes.infixes, text, at, false);
}

}  // namespace xf::data::spacy
