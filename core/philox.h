// Philox4x32-10, a counter-based generator: four random words are a pure function of a 128-bit
// counter and a 64-bit key, so nothing is stored and any element of any dropout mask can be
// recomputed anywhere. Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2,
// 3". The constants are the paper's.
#pragma once

#include <cstdint>

#include "core/device.h"

namespace xf {

struct Philox {
  uint32_t x[4];

  // Ten rounds on counter {c0, c1, c2, c3} under key {k0, k1}.
  XF_HOST_DEVICE static inline Philox at(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t k0,
                                         uint32_t k1) {
    for (int round = 0; round < 10; ++round) {
      const uint64_t p0 = uint64_t{0xD2511F53u} * c0;
      const uint64_t p1 = uint64_t{0xCD9E8D57u} * c2;
      c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
      c1 = static_cast<uint32_t>(p1);
      c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
      c3 = static_cast<uint32_t>(p0);
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    return {{c0, c1, c2, c3}};
  }
};

// A sequence for the host: initial weights, shuffles. Stream = which sequence of the seed.
class PhiloxSequence {
 public:
  PhiloxSequence(uint64_t seed, uint64_t stream) : seed_(seed), stream_(stream) {}

  uint32_t next() {
    if (used_ == 4) refill();
    return words_.x[used_++];
  }
  // Uniform in [0, 1), 24 bits.
  float uniform() { return static_cast<float>(next() >> 8) * 0x1p-24f; }
  // Uniform in 0..n-1, without the bias of a plain remainder.
  uint32_t below(uint32_t n) {
    const uint32_t limit = UINT32_MAX - UINT32_MAX % n;
    uint32_t word = next();
    while (word >= limit) word = next();
    return word % n;
  }

 private:
  void refill() {
    words_ = Philox::at(static_cast<uint32_t>(index_), static_cast<uint32_t>(index_ >> 32),
                        static_cast<uint32_t>(stream_), static_cast<uint32_t>(stream_ >> 32),
                        static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32));
    ++index_;
    used_ = 0;
  }

  uint64_t seed_, stream_, index_ = 0;
  Philox words_{};
  int used_ = 4;
};

}  // namespace xf
