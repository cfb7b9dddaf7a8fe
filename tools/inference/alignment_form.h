// How an alignment is written. Tokens are numbered from 0; each side's </s>, the last, is among
// them.
#pragma once

#include <string>

#include "nn/decode/alignment.h"

namespace xf::tools {

// As Marian has it:
//   hard     s-t for each target token t: the source token s of the largest weight, of equal ones
//            the first
//   soft     the weights of all source tokens, apart by commas, for each target token
//   X        s-t for each weight of at least X, above 0; 1, which nothing else could mean, is hard
// Pairs are in the order of s, then t.
class AlignmentForm {
 public:
  // Error usage for a word that is none of these.
  explicit AlignmentForm(const std::string& word);
  std::string text(const nn::Alignment& alignment) const;

 private:
  std::string soft(const nn::Alignment& alignment) const;
  std::string pairs(const nn::Alignment& alignment) const;

  bool soft_ = false;
  double threshold_ = 1;  // 1: hard
};

}  // namespace xf::tools
