#include "data/word_rules.h"

#include <fmt/format.h>
#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <algorithm>

#include "core/error.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

constexpr std::string_view kMark = "\u2581";

// Break iterators have state and are dear to make: one per thread.
icu::BreakIterator& word_breaks() {
  thread_local const std::unique_ptr<icu::BreakIterator> breaks = [] {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::BreakIterator> made(
        icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
    if (U_FAILURE(status))
      fail(ErrorKind::failure, "tokenizer: ICU word boundaries: {}", u_errorName(status));
    return made;
  }();
  return *breaks;
}

std::string concatenated(const std::vector<std::string>& tokens) {
  std::string text;
  for (const std::string& token : tokens) text += token;
  return text;
}

std::string spaces_for_marks(std::string_view text) {
  std::string result;
  while (true) {
    const size_t at = text.find(kMark);
    result += text.substr(0, at);
    if (at == std::string_view::npos) return result;
    result += ' ';
    text.remove_prefix(at + kMark.size());
  }
}

class IcuWords : public WordRules {
 public:
  std::vector<std::string> split(std::string_view text) const override {
    return split_words(with_plain_spaces(text));
  }
  std::string join(const std::vector<std::string>& words) const override { return join_words(words); }
  std::string apart(const std::vector<std::string>& words) const override {
    std::string text;
    for (const std::string& word : words) {
      const std::string_view plain =
          word.starts_with(kMark) ? std::string_view(word).substr(kMark.size()) : word;
      if (!plain.empty()) text += (text.empty() ? "" : " ") + std::string(plain);
    }
    return text;
  }
  std::string shown(const std::string& special) const override { return std::string(kMark) + special; }
  std::string description() const override { return "icu"; }
};

// Other spaces than the ASCII one and separators stay inside words, so that joining gives back what
// was cut by another program.
class WhitespaceWords : public WordRules {
 public:
  std::vector<std::string> split(std::string_view text) const override {
    const std::string parted = with_plain_spaces(text);
    const std::vector<std::string_view> words = split_on_ascii_space(parted);
    return {words.begin(), words.end()};
  }
  std::string join(const std::vector<std::string>& words) const override {
    return fmt::format("{}", fmt::join(words, " "));
  }
  std::string apart(const std::vector<std::string>& words) const override { return join(words); }
  std::string description() const override { return "whitespace"; }
};

class Characters : public WordRules {
 public:
  std::vector<std::string> split(std::string_view text) const override { return split_characters(text); }
  std::string join(const std::vector<std::string>& words) const override { return join_characters(words); }
  std::string apart(const std::vector<std::string>& words) const override { return join(words); }
  std::string description() const override { return "character"; }
};

}  // namespace

Registered<WordRulesFactory>& added_word_rules() {
  static Registered<WordRulesFactory> all;
  return all;
}

std::shared_ptr<const WordRules> make_word_rules(const std::string& description) {
  if (description == "icu") return std::make_shared<IcuWords>();
  if (description == "whitespace") return std::make_shared<WhitespaceWords>();
  if (description == "character") return std::make_shared<Characters>();
  const std::vector<std::string_view> words = split_on_space(description);
  const auto* const make = added_word_rules().find(words.empty() ? "" : std::string(words.front()));
  if (auto rules = make ? (*make)(description) : nullptr) return rules;
  if (added_word_rules().empty()) fail_without_tutorials(description);
  fail(ErrorKind::usage,
       "tokenizer: no rules are called '{}'; "
       "there are whitespace, icu, character, and spacy3 and spacy2.2 with a language, en or de",
       description);
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> tokens;
  if (text.empty()) return tokens;
  UErrorCode status = U_ZERO_ERROR;
  UText view = UTEXT_INITIALIZER;
  utext_openUTF8(&view, text.data(), static_cast<int64_t>(text.size()), &status);
  icu::BreakIterator& breaks = word_breaks();
  breaks.setText(&view, status);
  if (U_FAILURE(status)) fail(ErrorKind::failure, "tokenizer: ICU word boundaries: {}", u_errorName(status));
  size_t spaces = 1;  // not yet written; the first is the one that decoding drops
  const auto write_spaces = [&](size_t count) { tokens.insert(tokens.end(), count, std::string(kMark)); };
  for (int32_t begin = breaks.first(), end = breaks.next(); end != icu::BreakIterator::DONE;
       begin = end, end = breaks.next()) {
    std::string_view segment = text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
    while (true) {  // ICU keeps a space with other ones around it, as U+3000
      const size_t leading = std::min(segment.find_first_not_of(' '), segment.size());
      spaces += leading;
      segment.remove_prefix(leading);
      if (segment.empty()) break;
      if (spaces > 1) write_spaces(spaces - 1);
      const std::string_view word = segment.substr(0, segment.find(' '));
      tokens.push_back(spaces > 0 ? fmt::format("{}{}", kMark, word) : std::string(word));
      spaces = 0;
      segment.remove_prefix(word.size());
    }
  }
  write_spaces(spaces);
  utext_close(&view);
  return tokens;
}

std::string join_words(const std::vector<std::string>& tokens) {
  std::string text = spaces_for_marks(concatenated(tokens));
  if (text.starts_with(' ')) text.erase(0, 1);
  return text;
}

std::vector<std::string> split_characters(std::string_view text) {
  std::vector<std::string> tokens;
  for (const char32_t character : to_utf32(text)) {
    const bool is_space =
        character == U' ' || character == U'\r';  // a CR could not stand on a line of a list
    tokens.push_back(is_space ? std::string(kMark) : to_utf8({&character, 1}));
  }
  return tokens;
}

std::string join_characters(const std::vector<std::string>& tokens) {
  return spaces_for_marks(concatenated(tokens));
}

}  // namespace xf::data
