// Which of BLEU's tokenisers fits a text. One that cuts at spaces makes a single token of a line
// without spaces: then a translation is all right or all wrong.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "data/score/bleu_tokenizer.h"

namespace xf::data {

enum class Spacing {
  words,      // words stand apart by spaces
  unspaced,   // a quarter of the letters or more are of scripts that are written without spaces
  one_token,  // 13a makes one token of most lines: single words, or a text without spaces in
              // another script
};

struct FittingTokenizer {
  BleuTokenizer tokenizer = BleuTokenizer::mteval_13a;
  Spacing spacing = Spacing::words;
};

// 13a for words; without spaces zh where it cuts the letters apart, else char.
FittingTokenizer fitting_bleu_tokenizer(std::span<const std::string> references);

// For people: "the references are written without spaces".
std::string spacing_text(Spacing spacing);

// Tokens of a line, apart by spaces.
using Tokenize = std::function<std::string(std::string_view line)>;

// Whether it leaves most lines uncut: as one token, or with a token of more than a dozen letters of
// scripts that are written without spaces.
bool leaves_most_lines_uncut(std::span<const std::string> lines, const Tokenize& tokenize);

}  // namespace xf::data
