// Shapes of rotary, and what its plain kernel makes of them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plain/rotary.h"

namespace xf::tests {

constexpr double kRotaryBase = 10000;

struct RotaryCase {
  const char* why;
  int64_t tokens, H, P;
  int64_t D() const { return H * 2 * P; }
};

inline std::vector<RotaryCase> rotary_cases() {
  return {
      {"smallest", 1, 1, 1},
      {"primes", 7, 3, 5},
      {"the tiny model's heads", 33, 4, 16},
      {"heads of 128, as language models have them", 17, 9, 64},
      {"packs of four that are none of eight", 5, 2, 12},
      {"a warp's span and a head more", 3, 33, 16},
      {"one short of a vector", 2, 1, 127},
      {"more tokens than a grid's second axis has blocks", 70001, 1, 1},
  };
}

// Sentences of lengths 1, 2, 3, ...: their tokens' places.
inline std::vector<int32_t> places_in_sentences(int64_t tokens) {
  std::vector<int32_t> places;
  for (int32_t length = 1; static_cast<int64_t>(places.size()) < tokens; length = length % 97 + 1) {
    for (int32_t place = 0; place < length && static_cast<int64_t>(places.size()) < tokens; ++place)
      places.push_back(place);
  }
  return places;
}
constexpr int64_t kRotaryPositions = 97;  // the longest of these sentences

struct RotaryReference {
  std::vector<double> y, dx;
};

inline RotaryReference rotary_reference(int64_t H, int64_t P, const std::vector<double>& x,
                                        const std::vector<double>& dy,
                                        const std::vector<int32_t>& positions) {
  RotaryReference r{x, dy};
  const auto T = static_cast<int64_t>(positions.size());
  kernels::plain::rotary_forward(T, H, P, kRotaryBase, x.data(), positions.data(), r.y.data());
  kernels::plain::rotary_backward(T, H, P, kRotaryBase, dy.data(), positions.data(), r.dx.data());
  return r;
}

}  // namespace xf::tests
