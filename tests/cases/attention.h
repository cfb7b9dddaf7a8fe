// Attention: sentence lengths that find mistakes, and the definition in f64, one query at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/attention.h"

namespace xf::tests {

struct AttentionCase {
  const char* reason;
  int64_t heads, Dh;
  std::vector<int32_t> query_lengths, key_lengths;
  bool causal;

  int64_t D() const { return heads * Dh; }
  int64_t Tq() const { return std::accumulate(query_lengths.begin(), query_lengths.end(), int64_t{0}); }
  int64_t Tk() const { return std::accumulate(key_lengths.begin(), key_lengths.end(), int64_t{0}); }
  float scale() const { return 1.0f / std::sqrt(static_cast<float>(Dh)); }
};

inline std::vector<int32_t> offsets_of(const std::vector<int32_t>& lengths) {
  std::vector<int32_t> offsets(lengths.size() + 1, 0);
  std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
  return offsets;
}

// Lengths are within the short path, which any case can also take the long path through.
inline std::vector<AttentionCase> attention_cases() {
  return {
      {"smallest", 1, 1, {1}, {1}, false},
      {"primes, self, causal", 2, 3, {5, 1, 7}, {5, 1, 7}, true},
      {"the tiny model's heads", 4, 32, {14, 9, 17, 31, 33}, {14, 9, 17, 31, 33}, false},
      {"the tiny model's heads, causal", 4, 32, {14, 9, 17, 31, 33}, {14, 9, 17, 31, 33}, true},
      {"cross, lengths of the two sides differ", 2, 16, {3, 12, 8}, {7, 2, 19}, false},
      {"causal cross: positions count from the sentence's start", 1, 5, {6, 2}, {3, 9}, true},
      {"queries without keys, keys without queries, empty sentences",
       2,
       8,
       {3, 0, 0, 4},
       {0, 5, 0, 2},
       false},
      {"the last length of the short path", 1, 64, {64, 63}, {64, 63}, true},
  };
}

inline std::vector<AttentionCase> long_attention_cases() {
  return {
      {"one key past a tile", 2, 2, {65}, {65}, false},
      {"one query short of two tiles, causal", 1, 1, {127, 3}, {127, 3}, true},
      {"cross, tiles of different number", 1, 2, {70, 5}, {129, 66}, false},
  };
}

struct AttentionReference {
  std::vector<double> o;    // [Tq, D]
  std::vector<double> lse;  // [H, Tq]
  std::vector<double> p;    // [B, H, Sq, Sk], before dropout; Sq, Sk the longest
};

// factor(token, head, key): what dropout multiplies a probability by.
template <typename Factor>
AttentionReference attention_reference(const AttentionCase& c, const std::vector<double>& q,
                                       const std::vector<double>& k, const std::vector<double>& v,
                                       const Factor& factor) {
  const auto q_begin = offsets_of(c.query_lengths), k_begin = offsets_of(c.key_lengths);
  const int64_t B = static_cast<int64_t>(c.query_lengths.size()), D = c.D(), Tq = c.Tq();
  const int64_t Sq = *std::max_element(c.query_lengths.begin(), c.query_lengths.end());
  const int64_t Sk = *std::max_element(c.key_lengths.begin(), c.key_lengths.end());
  AttentionReference r{
      std::vector<double>(static_cast<size_t>(Tq * D), 0.0),
      std::vector<double>(static_cast<size_t>(c.heads * Tq), -std::numeric_limits<double>::infinity()),
      std::vector<double>(static_cast<size_t>(B * c.heads * Sq * Sk), 0.0)};
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t h = 0; h < c.heads; ++h) {
      for (int64_t i = 0; i < c.query_lengths[b]; ++i) {
        const int64_t token = q_begin[b] + i;
        const int64_t keys = c.causal ? std::min<int64_t>(i + 1, c.key_lengths[b]) : c.key_lengths[b];
        std::vector<double> weights(static_cast<size_t>(keys));
        double sum = 0;
        for (int64_t j = 0; j < keys; ++j) {
          double s = 0;
          for (int64_t d = h * c.Dh; d < (h + 1) * c.Dh; ++d)
            s += q[token * D + d] * k[(k_begin[b] + j) * D + d];
          sum += weights[j] = std::exp(c.scale() * s);
        }
        if (keys > 0) r.lse[h * Tq + token] = std::log(sum);
        for (int64_t j = 0; j < keys; ++j) {
          const double p = weights[j] / sum;
          r.p[((b * c.heads + h) * Sq + i) * Sk + j] = p;
          for (int64_t d = h * c.Dh; d < (h + 1) * c.Dh; ++d) {
            r.o[token * D + d] += p * factor(token, h, j) * v[(k_begin[b] + j) * D + d];
          }
        }
      }
    }
  }
  return r;
}

}  // namespace xf::tests
