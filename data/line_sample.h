// A sample of a text's lines in one pass and constant memory (Vitter 1985, "Random sampling with a
// reservoir", algorithm R).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/philox.h"

namespace xf::data {

// Pairs of lines. Each set of `most` of them is as likely as any other; all of them, if there are
// no more.
class LineSample {
 public:
  struct Pair {
    int64_t number = 0;  // of its line, from 0
    std::string source, target;
  };

  // The same pairs in the same order and the same seed: the same sample.
  LineSample(int64_t most, uint64_t seed);

  void add(const std::string& source, const std::string& target);
  int64_t seen() const { return seen_; }
  // In the order of the text; nothing is left here.
  std::vector<Pair> take();

 private:
  size_t most_;
  PhiloxSequence random_;
  int64_t seen_ = 0;
  std::vector<Pair> pairs_;
};

}  // namespace xf::data
