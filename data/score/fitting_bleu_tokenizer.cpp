#include "data/score/fitting_bleu_tokenizer.h"

#include <algorithm>

#include "data/unicode.h"
#include "data/word_boundaries.h"

namespace xf::data {
namespace {

constexpr int64_t kLongestWord = 12;  // letters of a word that somebody has cut out of a text
                                      // without spaces

struct LetterCounts {
  int64_t spaced = 0;
  int64_t by_zh = 0, others = 0;  // without spaces: those that `zh` cuts apart, and those that it
                                  // does not
};

LetterCounts count_letters(std::span<const std::string> lines) {
  LetterCounts counts;
  for (const std::string& line : lines) {
    for (const char32_t c : to_utf32(line)) {
      if (!is_letter(c)) continue;
      if (!is_written_without_spaces(c)) {
        ++counts.spaced;
      } else {
        ++(is_cut_by_zh(c) ? counts.by_zh : counts.others);
      }
    }
  }
  return counts;
}

int64_t unspaced_letters(std::string_view token) {
  const std::u32string letters = to_utf32(token);
  return std::ranges::count_if(letters, is_written_without_spaces);
}

// A line of tokens apart by spaces. One character cannot be cut.
bool is_uncut(const std::string& text) {
  const auto tokens = split_on_space(text);
  if (tokens.size() == 1) return to_utf32(tokens.front()).size() > 1;
  return std::ranges::any_of(tokens,
                             [](std::string_view token) { return unspaced_letters(token) > kLongestWord; });
}

}  // namespace

bool leaves_most_lines_uncut(std::span<const std::string> lines, const Tokenize& tokenize) {
  int64_t count = 0, uncut = 0;
  for (const std::string& line : lines) {
    if (split_on_space(line).empty()) continue;
    ++count;
    uncut += is_uncut(tokenize(line)) ? 1 : 0;
  }
  return 2 * uncut > count;
}

FittingTokenizer fitting_bleu_tokenizer(std::span<const std::string> references) {
  const LetterCounts letters = count_letters(references);
  const int64_t unspaced = letters.by_zh + letters.others;
  if (unspaced > 0 && 3 * unspaced >= letters.spaced) {
    // Of Japanese about half is kana.
    const bool zh = 10 * letters.others <= unspaced;
    return {zh ? BleuTokenizer::chinese : BleuTokenizer::character, Spacing::unspaced};
  }
  const auto by_13a = [](std::string_view line) { return bleu_tokenize(line, BleuTokenizer::mteval_13a); };
  if (leaves_most_lines_uncut(references, by_13a)) return {BleuTokenizer::character, Spacing::one_token};
  return {};
}

std::string spacing_text(Spacing spacing) {
  switch (spacing) {
    case Spacing::words: return "words of the references are separated by spaces";
    case Spacing::unspaced: return "the references are written without spaces";
    case Spacing::one_token: return "most references would be one token by 13a";
  }
  return {};
}

}  // namespace xf::data
