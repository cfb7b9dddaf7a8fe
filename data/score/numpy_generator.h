// NumPy's default random numbers, bit for bit: what `numpy.random.default_rng(seed)` draws, so that
// a resampled score has the digits that Python users publish. PCG64 (O'Neill 2014, "PCG: a family
// of simple fast space-efficient statistically good algorithms", HMC-CS-2014-0905; the variant
// XSL-RR 128/64), seeded by NumPy's SeedSequence.
#pragma once

#include <cstdint>

namespace xf::data {

class NumpyGenerator {
 public:
  explicit NumpyGenerator(uint64_t seed);

  // The next element of `integers(n, size=...)` and of `choice(n, size=...)`: uniform in 0 ... n-1;
  // n is at least 1. Lemire 2019, "Fast random integer generation in an interval".
  uint32_t below(uint32_t n);

  // The next element of `integers(2, size=..., dtype=bool)`. NumPy begins each call with fresh
  // bits: a generator draws numbers or coins, not both.
  bool coin();

 private:
  __extension__ typedef unsigned __int128 Word128;

  void step();
  uint64_t next64();
  uint32_t next32();  // the low half of a word, then its high half

  Word128 state_ = 0, increment_ = 0;
  uint32_t high_half_ = 0, coins_ = 0;
  bool has_half_ = false;
  int coins_left_ = 0;
};

}  // namespace xf::data
