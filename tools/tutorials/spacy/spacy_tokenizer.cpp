#include "tools/tutorials/spacy/spacy_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/unicode.h"
#include "tools/tutorials/spacy/affixes.h"
#include "tools/tutorials/spacy/exceptions.h"
#include "tools/tutorials/spacy/second_pass.h"
#include "tools/tutorials/spacy/url.h"

namespace xf::data {
namespace {

using spacy::Word;

// The words of a description.
constexpr std::string_view kVersion3 = "spacy3", kVersion22 = "spacy2.2", kEnglish = "en", kGerman = "de",
                           kLowercase = "lowercase";

// Cuts one piece between spaces. Without exceptions: what affixes alone would make of it.
class PieceCutter {
 public:
  PieceCutter(SpacyRules rules, SpacyLanguage language, bool with_exceptions)
      : rules_(rules),
        affixes_(spacy::affixes(rules, language)),
        exceptions_(with_exceptions ? &spacy::exceptions(rules, language) : nullptr) {}

  void cut(std::u32string_view piece, std::vector<Word>& words) const {
    std::vector<std::u32string_view> suffixes;
    while (!piece.empty() && !exception(piece)) {
      const size_t size = piece.size();
      piece = without_affixes(piece, words, suffixes);
      if (piece.size() == size) break;
    }
    add_middle(piece, words);
    for (auto suffix = suffixes.rbegin(); suffix != suffixes.rend(); ++suffix) add(*suffix, words);
  }

 private:
  const std::vector<std::u32string>* exception(std::u32string_view text) const {
    if (!exceptions_ || text.size() > spacy::kLongestException) return nullptr;
    const auto found = exceptions_->find(std::u32string(text));
    return found == exceptions_->end() ? nullptr : &found->second;
  }

  static void add(std::u32string_view word, std::vector<Word>& words) {
    words.push_back({std::u32string(word), false});
  }

  // One prefix and one suffix less; or one of them, if that leaves an exception.
  std::u32string_view without_affixes(std::u32string_view text, std::vector<Word>& words,
                                      std::vector<std::u32string_view>& suffixes) const {
    const size_t prefix = prefix_length(affixes_, text);
    if (prefix > 0 && exception(text.substr(prefix))) {
      add(text.substr(0, prefix), words);
      return text.substr(prefix);
    }
    // Since 3.2 a suffix does not see the prefix before it.
    const size_t suffix = suffix_length(affixes_, rules_ == SpacyRules::v3 ? text.substr(prefix) : text);
    const size_t end = text.size() - suffix;
    if (suffix > 0 && exception(text.substr(0, end))) {
      suffixes.push_back(text.substr(end));
      return text.substr(0, end);
    }
    const bool both_fit = prefix + suffix <= text.size();
    if (prefix > 0) add(text.substr(0, prefix), words);
    if (suffix > 0 && (prefix == 0 || both_fit)) {
      suffixes.push_back(text.substr(end));
      text.remove_suffix(suffix);
    }
    text.remove_prefix(prefix);
    return text;
  }

  void add_middle(std::u32string_view text, std::vector<Word>& words) const {
    if (const auto* parts = exception(text)) {
      for (const std::u32string& part : *parts) add(part, words);
    } else if (!text.empty() && spacy::is_url(text, rules_)) {
      add(text, words);
    } else {
      add_between_infixes(text, words);
    }
  }

  void add_between_infixes(std::u32string_view text, std::vector<Word>& words) const {
    size_t begin = 0;
    for (size_t at = 0; at < text.size();) {
      const size_t infix = infix_length(affixes_, text, at);
      if (infix > 0 && at > 0) {  // at the very beginning it is none
        if (at > begin) add(text.substr(begin, at - begin), words);
        add(text.substr(at, infix), words);
        begin = at + infix;
      }
      at += std::max<size_t>(infix, 1);
    }
    if (begin < text.size()) add(text.substr(begin), words);
  }

  SpacyRules rules_;
  const spacy::Affixes& affixes_;
  const spacy::Exceptions* exceptions_;
};

// Words with what follows them. White space is a word, without the one space that ends the word
// before it.
std::vector<Word> cut_text(const std::u32string& text, const PieceCutter& cutter) {
  std::vector<Word> words;
  for (size_t begin = 0; begin < text.size();) {
    const bool space = is_space(text[begin]);
    size_t end = begin;
    while (end < text.size() && is_space(text[end]) == space) ++end;
    cutter.cut(std::u32string_view(text).substr(begin, end - begin), words);
    const bool spaced = !space && end < text.size() && text[end] == U' ';
    if (spaced) words.back().space_after = true;
    begin = end + (spaced ? 1 : 0);
  }
  return words;
}

spacy::SecondPass second_pass(SpacyLanguage language) {
  const PieceCutter without(SpacyRules::v3, language, false);
  return spacy::SecondPass(SpacyRules::v3, language,
                           [&](const std::u32string& text) { return cut_text(text, without); });
}

bool is_one_of(std::string_view word, std::string_view list) {
  const std::vector<std::string_view> words = split_on_space(list);
  return std::ranges::find(words, word) != words.end();
}

bool joins_left(std::string_view word, SpacyLanguage language) {
  return is_one_of(word, ". , ; : ! ? ) ] } % \u2026 ...") ||
         is_one_of(word, language == SpacyLanguage::german ? "\u201C \u00AB" : "\u201D") ||
         is_one_of(lower_case(word), "'s \u2019s n't n\u2019t 'll 've 're 'd 'm");
}

bool joins_right(std::string_view word, SpacyLanguage language) {
  return is_one_of(word, "( [ { $") ||
         is_one_of(word, language == SpacyLanguage::german ? "\u201E \u00BB" : "\u201C");
}

class SpacyWords : public WordRules {
 public:
  SpacyWords(SpacyRules rules, SpacyLanguage language, bool lowercase)
      : rules_(rules), language_(language), lowercase_(lowercase) {}

  std::vector<std::string> split(std::string_view text) const override {
    std::vector<std::string> words = spacy_words(text, rules_, language_);
    if (!lowercase_) return words;
    for (std::string& word : words) word = lower_case(word);
    return words;
  }

  std::string join(const std::vector<std::string>& words) const override {
    std::string text;
    bool joined = true;  // nothing goes before the next word
    for (const std::string& word : words) {
      const bool hyphen = word == "-" && language_ == SpacyLanguage::english;
      const bool white = split_on_space(word).empty();
      if (!joined && !hyphen && !joins_left(word, language_)) text += ' ';
      text += word;
      joined = hyphen || white || joins_right(word, language_);
    }
    return text;
  }

  std::string apart(const std::vector<std::string>& words) const override {
    return fmt::format("{}", fmt::join(words, " "));
  }

  bool lowercases() const override { return lowercase_; }
  std::string description() const override {
    return fmt::format("{} {}{}", rules_ == SpacyRules::v3 ? kVersion3 : kVersion22,
                       language_ == SpacyLanguage::german ? kGerman : kEnglish,
                       lowercase_ ? fmt::format(" {}", kLowercase) : "");
  }

 private:
  SpacyRules rules_;
  SpacyLanguage language_;
  bool lowercase_;
};

}  // namespace

std::vector<std::string> spacy_words(std::string_view text, SpacyRules rules, SpacyLanguage language) {
  std::vector<Word> words = cut_text(to_utf32(text), PieceCutter(rules, language, true));
  if (rules == SpacyRules::v3) {
    static const spacy::SecondPass english = second_pass(SpacyLanguage::english),
                                   german = second_pass(SpacyLanguage::german);
    words = (language == SpacyLanguage::german ? german : english).apply(std::move(words));
  }
  std::vector<std::string> result;
  for (const Word& word : words) result.push_back(to_utf8(word.text));
  return result;
}

std::shared_ptr<const WordRules> make_spacy_words(std::string_view description) {
  const std::vector<std::string_view> words = split_on_space(description);
  const bool known = (words.size() == 2 || (words.size() == 3 && words[2] == kLowercase)) &&
                     (words[0] == kVersion3 || words[0] == kVersion22) &&
                     (words[1] == kEnglish || words[1] == kGerman);
  if (!known) return nullptr;
  return std::make_shared<SpacyWords>(words[0] == kVersion3 ? SpacyRules::v3 : SpacyRules::v2_2,
                                      words[1] == kGerman ? SpacyLanguage::german : SpacyLanguage::english,
                                      words.size() == 3);
}

void register_spacy_words() {
  for (const std::string_view version : {kVersion3, kVersion22})
    added_word_rules().add(std::string(version), make_spacy_words);
}

}  // namespace xf::data
