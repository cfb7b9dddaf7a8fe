#include "data/demo/grammar.h"

#include <fmt/core.h>

#include <array>
#include <utility>

namespace xf::data::demo {
namespace {

// Endings by case (row) and masculine, feminine, neuter, plural (column).
using Endings = std::array<std::array<std::string_view, 4>, 3>;
constexpr Endings kDefiniteArticle = {
    {{"der", "die", "das", "die"}, {"den", "die", "das", "die"}, {"dem", "der", "dem", "den"}}};
constexpr Endings kDerWord = {{{"er", "e", "es", "e"}, {"en", "e", "es", "e"}, {"em", "er", "em", "en"}}};
constexpr Endings kEinWord = {{{"", "e", "", "e"}, {"en", "e", "", "e"}, {"em", "er", "em", "en"}}};
constexpr Endings kInvariable = {{{"", "", "", ""}, {"", "", "", ""}, {"", "", "", ""}}};
// Adjectives: weak behind der-words, mixed behind ein-words, strong behind numerals.
constexpr Endings kWeak = {{{"e", "e", "e", "en"}, {"en", "e", "e", "en"}, {"en", "en", "en", "en"}}};
constexpr Endings kMixed = {{{"er", "e", "es", "en"}, {"en", "e", "es", "en"}, {"en", "en", "en", "en"}}};
constexpr Endings kStrong = {{{"er", "e", "es", "e"}, {"en", "e", "es", "e"}, {"em", "er", "em", "en"}}};

struct Paradigm {
  const Endings &determiner, &adjective;
};

constexpr Paradigm paradigm_of(Declension declension) {
  switch (declension) {
    case Declension::definite: return {kDefiniteArticle, kWeak};
    case Declension::der_word: return {kDerWord, kWeak};
    case Declension::ein_word: return {kEinWord, kMixed};
    case Declension::numeral: break;
  }
  return {kInvariable, kStrong};
}

size_t column_of(const NounPhrase& phrase) { return phrase.plural ? 3 : index(phrase.noun->gender); }

// The dative plural ends in n unless the plural ends in n or s; some masculines change outside the
// nominative.
std::string german_noun(const NounPhrase& phrase, Case german_case) {
  const Noun& noun = *phrase.noun;
  if (!phrase.plural) {
    const bool changes = german_case != Case::nominative && !noun.oblique.empty();
    return std::string(changes ? noun.oblique : noun.german);
  }
  const bool adds_n =
      german_case == Case::dative && noun.german_plural.back() != 'n' && noun.german_plural.back() != 's';
  return std::string(noun.german_plural) + (adds_n ? "n" : "");
}

// The relative pronoun is the article but for the dative plural.
std::string german_relative(const NounPhrase& phrase) {
  const Clause& clause = *phrase.relative;
  const bool takes_dative = clause.gap == Gap::object && clause.verb->frame == Frame::dative;
  const Case german_case = clause.gap == Gap::subject ? Case::nominative
                           : takes_dative             ? Case::dative
                                                      : Case::accusative;
  const std::string_view pronoun =
      takes_dative && phrase.plural ? "denen" : kDefiniteArticle[index(german_case)][column_of(phrase)];
  return fmt::format(", {} {},", pronoun, german_clause(clause, WordOrder::verb_last));
}

// Without the relative clause, which may stand apart.
std::string german_phrase(const NounPhrase& phrase, Case german_case) {
  if (phrase.pronoun != nullptr) {
    const Pronoun& pronoun = *phrase.pronoun;
    return std::string(german_case == Case::nominative   ? pronoun.nominative
                       : german_case == Case::accusative ? pronoun.accusative
                                                         : pronoun.dative);
  }
  if (!phrase.name.empty()) return std::string(phrase.name);
  const Paradigm paradigm = paradigm_of(phrase.determiner->declension);
  const size_t row = index(german_case), column = column_of(phrase);
  std::string text = std::string(phrase.determiner->german) + std::string(paradigm.determiner[row][column]);
  if (phrase.adjective != nullptr) {
    add_words(text, std::string(phrase.adjective->stem) + std::string(paradigm.adjective[row][column]));
  }
  add_words(text, german_noun(phrase, german_case));
  return text;
}

// in dem -> im, in das -> ins, zu dem -> zum, zu der -> zur
std::string german_prepositional(const PrepositionalPhrase& phrase) {
  if (phrase.preposition == nullptr) return {};
  const std::string text = fmt::format("{} {}", phrase.preposition->german,
                                       german_phrase(phrase.phrase, phrase.preposition->german_case));
  constexpr std::string_view kContractions[][2] = {
      {"in dem ", "im "}, {"in das ", "ins "}, {"zu dem ", "zum "}, {"zu der ", "zur "}};
  for (const auto& [apart, contracted] : kContractions) {
    if (text.starts_with(apart)) return std::string(contracted) + text.substr(apart.size());
  }
  return text;
}

std::string_view of_person(const std::array<std::string_view, 3>& forms, Person person) {
  if (person == Person::first_singular) return forms[0];
  return person == Person::third_singular ? forms[1] : forms[2];
}

// The finite verb, what closes the clause, and whether prefix and verb are one word in a clause
// that ends in the verb.
struct GermanVerb {
  std::string finite, end;
  bool separable = false;
};

GermanVerb german_verb(const Clause& clause, Person person) {
  if (clause.verb == nullptr) {
    const bool past = clause.tense == Tense::past;
    const std::string_view finite =
        past ? of_person({"war", "war", "waren"}, person) : of_person({"bin", "ist", "sind"}, person);
    return {std::string(finite), std::string(clause.predicate->german)};
  }
  const Verb& verb = *clause.verb;
  const std::string infinitive = std::string(verb.prefix) + std::string(verb.german);
  const auto with = [&](const std::array<std::string_view, 3>& forms, const std::string& end) {
    return GermanVerb{std::string(of_person(forms, person)), end};
  };
  switch (clause.tense) {
    case Tense::present: break;
    case Tense::future: return with({"werde", "wird", "werden"}, infinitive);
    case Tense::can: return with({"kann", "kann", "können"}, infinitive);
    case Tense::must: return with({"muss", "muss", "müssen"}, infinitive);
    case Tense::want: return with({"will", "will", "wollen"}, infinitive);
    case Tense::past: {
      const std::string participle = std::string(verb.prefix) + std::string(verb.participle);
      return verb.with_sein ? with({"bin", "ist", "sind"}, participle)
                            : with({"habe", "hat", "haben"}, participle);
    }
  }
  GermanVerb present = with({verb.german_first, verb.german_third, verb.german}, std::string(verb.prefix));
  present.separable = !verb.prefix.empty();
  return present;
}

// "a book" not bought is "kein Buch"; everything else is denied by "nicht".
bool denied_by_kein(const Clause& clause) { return clause.negated && clause.object.determiner == &kA; }

// Between the two parts of the verb: pronouns, time, objects, "nicht", companion, place.
std::string german_middle(const Clause& clause) {
  std::string text;
  NounPhrase object = clause.object;
  if (denied_by_kein(clause)) object.determiner = &kNo;
  const Case object_case =
      clause.verb != nullptr && clause.verb->frame == Frame::dative ? Case::dative : Case::accusative;
  const auto add_objects = [&](bool pronouns) {
    for (const auto& [phrase, german_case] : {std::pair(&clause.recipient, Case::dative),
                                              std::pair<const NounPhrase*, Case>(&object, object_case)}) {
      if (phrase->present() && (phrase->pronoun != nullptr) == pronouns)
        add_words(text, german_phrase(*phrase, german_case));
    }
  };
  add_objects(true);
  if (clause.time != nullptr && !clause.time_first) add_words(text, clause.time->german);
  if (clause.frequency != nullptr) add_words(text, clause.frequency->german);
  add_objects(false);
  if (clause.negated && !denied_by_kein(clause)) add_words(text, "nicht");
  add_words(text, german_prepositional(clause.companion));
  add_words(text, german_prepositional(clause.place));
  return text;
}

// Behind the end of the clause: the object's relative clause and the complement.
std::string german_tail(const Clause& clause) {
  std::string text;
  if (clause.object.relative != nullptr) text += german_relative(clause.object);
  if (clause.complement == nullptr) return text;
  if (clause.verb->frame == Frame::that_clause) {
    return text + fmt::format(", dass {},", german_clause(*clause.complement, WordOrder::verb_last));
  }
  return text + fmt::format(", {},", german_clause(*clause.complement, WordOrder::infinitive));
}

std::string german_subject(const Clause& clause) {
  if (clause.gap == Gap::subject) return {};
  std::string text = german_phrase(clause.subject, Case::nominative);
  if (clause.subject.relative != nullptr) text += german_relative(clause.subject);
  return text;
}

}  // namespace

std::string german_clause(const Clause& clause, WordOrder order) {
  const GermanVerb verb = german_verb(clause, person_of(clause.subject));
  const std::string subject = german_subject(clause), middle = german_middle(clause);
  std::string text;
  switch (order) {
    case WordOrder::verb_second:
      if (clause.time_first) {
        text = std::string(clause.time->german);
        add_words(text, verb.finite);
        add_words(text, subject);
      } else {
        text = subject;
        add_words(text, verb.finite);
      }
      add_words(text, middle);
      add_words(text, verb.end);
      break;
    case WordOrder::verb_first:
      text = verb.finite;
      add_words(text, subject);
      add_words(text, middle);
      add_words(text, verb.end);
      break;
    case WordOrder::verb_last:
      text = subject;
      add_words(text, middle);
      add_words(text, verb.separable ? verb.end + verb.finite : verb.end);
      if (!verb.separable) add_words(text, verb.finite);
      break;
    case WordOrder::infinitive:
      text = middle;
      add_words(text, clause.verb->prefix.empty()
                          ? fmt::format("zu {}", clause.verb->german)
                          : fmt::format("{}zu{}", clause.verb->prefix, clause.verb->german));
      break;
  }
  return text + german_tail(clause);
}

}  // namespace xf::data::demo
