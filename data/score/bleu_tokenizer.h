// How BLEU cuts a line into tokens; the scores of two tokenisers cannot be compared.
#pragma once

#include <string>
#include <string_view>

namespace xf::data {

enum class BleuTokenizer {
  mteval_13a,  // "13a": mteval-v13a.pl of NIST, the default of WMT and sacreBLEU
  intl,        // "intl": mteval-v14.pl, every Unicode punctuation mark (outside numbers) and symbol
               // by itself
  character,   // "char": every code point by itself
  chinese,     // "zh": every Chinese character and full-width mark by itself, then the rules of 13a
  none,        // "none": the text is tokenised already
};

// The name in the signature and on the command line; the second throws Error(usage) for an unknown
// name.
std::string_view bleu_tokenizer_name(BleuTokenizer tokenizer);
BleuTokenizer bleu_tokenizer_from_name(std::string_view name);

// The tokens of one line (valid UTF-8), joined by single spaces. Any Unicode whitespace separates,
// U+00A0 included.
std::string bleu_tokenize(std::string_view line, BleuTokenizer tokenizer);

// Whether `zh` makes a token of it by itself.
bool is_cut_by_zh(char32_t code_point);

}  // namespace xf::data
