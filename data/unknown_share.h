// How much of what a vocabulary makes of a text is unknown.
#pragma once

#include <cstdint>
#include <span>

#include "data/tokenizer.h"

namespace xf::data {

// Counts tokens and those that are <unk>. A space that is a token of its own is none: before an
// unknown word SentencePiece leaves one.
class UnknownCount {
 public:
  explicit UnknownCount(const Tokenizer& tokenizer);

  void add(std::span<const int32_t> ids);
  int64_t unknown() const { return unknown_; }
  double share() const;

 private:
  int32_t unk_, space_ = -1;
  int64_t tokens_ = 0, unknown_ = 0;
};

// Above this share a text is not what the vocabulary was made for.
inline constexpr double kMostUnknown = 0.5;

}  // namespace xf::data
