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
  int64_t spare = 0;  // rows past the last sentence, on both sides

  int64_t B() const { return static_cast<int64_t>(query_lengths.size()); }
  int64_t D() const { return heads * Dh; }
  int64_t Tq() const { return std::accumulate(query_lengths.begin(), query_lengths.end(), spare); }
  int64_t Tk() const { return std::accumulate(key_lengths.begin(), key_lengths.end(), spare); }
  int64_t longest_query() const { return *std::max_element(query_lengths.begin(), query_lengths.end()); }
  int64_t longest_key() const { return *std::max_element(key_lengths.begin(), key_lengths.end()); }
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
      {"one query more and less than a tile of 16, of 32; spare rows",
       2,
       3,
       {1, 31, 33},
       {1, 31, 33},
       false,
       3},
      {"more queries than the short path has keys", 1, 8, {130, 66}, {5, 64}, false},
      {"more queries than keys, causal", 1, 5, {70, 40}, {33, 7}, true, 2},
      {"heads wider than 64", 1, 72, {17, 3}, {20, 1}, false},
      {"the widest heads of the CUDA backend", 1, 128, {18}, {35}, true},
  };
}

inline std::vector<AttentionCase> long_attention_cases() {
  return {
      {"one key past a tile", 2, 2, {65}, {65}, false},
      {"one query short of two tiles, causal", 1, 1, {127, 3}, {127, 3}, true},
      {"cross, tiles of different number", 1, 2, {70, 5}, {129, 66}, false},
      {"many tiles, causal, spare rows", 1, 32, {300, 0, 65}, {300, 0, 65}, true, 5},
      {"many tiles of keys, few queries; keys that no query sees", 1, 64, {2, 130}, {300, 129}, true},
      {"wide heads, two tiles", 1, 128, {80}, {129}, false},
  };
}

// More sentences than CUDA has blocks along y or z. Nearly all are empty.
inline AttentionCase many_sentences_case() {
  AttentionCase c{"more than 65,535 sentences and heads", 2,    4, std::vector<int32_t>(33000, 0),
                  std::vector<int32_t>(33000, 0),         false};
  for (const size_t b : {0, 12345, 32767, 32768, 32999}) c.query_lengths[b] = c.key_lengths[b] = 3;
  c.key_lengths[40] = 2;
  c.query_lengths[50] = 2;
  return c;
}

// As many keys as the dropout's counter tells apart; two heads, so that one's keys must not be the other's.
inline AttentionCase most_keys_case() { return {"2^16 keys", 2, 4, {3, 0, 1}, {65536, 1, 2}, false}; }

struct AttentionReference {
  std::vector<double> o;    // [Tq, D]
  std::vector<double> lse;  // [H, Tq]
  std::vector<double> p;    // [B, H, Sq, Sk], before dropout; Sq, Sk the longest
};

// body(b, h, i, keys): query i of sentence b, head h, sees the sentence's first `keys` keys.
template <typename Body>
void for_each_query(const AttentionCase& c, const Body& body) {
  for (int64_t b = 0; b < c.B(); ++b) {
    for (int64_t h = 0; h < c.heads; ++h) {
      for (int64_t i = 0; i < c.query_lengths[b]; ++i) {
        body(b, h, i, c.causal ? std::min<int64_t>(i + 1, c.key_lengths[b]) : c.key_lengths[b]);
      }
    }
  }
}

// sum over d of a b in head h's columns, of rows that start at a and b.
inline double head_product(const AttentionCase& c, int64_t h, const double* a, const double* b) {
  return std::inner_product(a + h * c.Dh, a + (h + 1) * c.Dh, b + h * c.Dh, 0.0);
}

// factor(token, head, key): what dropout multiplies a probability by.
template <typename Factor>
AttentionReference attention_reference(const AttentionCase& c, const std::vector<double>& q,
                                       const std::vector<double>& k, const std::vector<double>& v,
                                       const Factor& factor) {
  const auto q_begin = offsets_of(c.query_lengths), k_begin = offsets_of(c.key_lengths);
  const int64_t D = c.D(), Tq = c.Tq(), Sq = c.longest_query(), Sk = c.longest_key();
  AttentionReference r{
      std::vector<double>(static_cast<size_t>(Tq * D), 0.0),
      std::vector<double>(static_cast<size_t>(c.heads * Tq), -std::numeric_limits<double>::infinity()),
      std::vector<double>(static_cast<size_t>(c.B() * c.heads * Sq * Sk), 0.0)};
  for_each_query(c, [&](int64_t b, int64_t h, int64_t i, int64_t keys) {
    const int64_t token = q_begin[b] + i;
    std::vector<double> weights(static_cast<size_t>(keys));
    double sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      weights[j] = std::exp(c.scale() * head_product(c, h, &q[token * D], &k[(k_begin[b] + j) * D]));
      sum += weights[j];
    }
    if (keys > 0) r.lse[h * Tq + token] = std::log(sum);
    for (int64_t j = 0; j < keys; ++j) {
      const double p = weights[j] / sum;
      r.p[((b * c.heads + h) * Sq + i) * Sk + j] = p;
      for (int64_t d = h * c.Dh; d < (h + 1) * c.Dh; ++d) {
        r.o[token * D + d] += p * factor(token, h, j) * v[(k_begin[b] + j) * D + d];
      }
    }
  });
  return r;
}

struct AttentionGradients {
  std::vector<double> dq, dk, dv;
};

// Equations (5) and (6) of docs/derivations/attention.md, one probability at a time; p: of the reference.
template <typename Factor>
AttentionGradients attention_gradients(const AttentionCase& c, const std::vector<double>& q,
                                       const std::vector<double>& k, const std::vector<double>& v,
                                       const std::vector<double>& grad_o, const std::vector<double>& p,
                                       const Factor& factor) {
  const auto q_begin = offsets_of(c.query_lengths), k_begin = offsets_of(c.key_lengths);
  const int64_t D = c.D(), Sq = c.longest_query(), Sk = c.longest_key();
  AttentionGradients g{std::vector<double>(q.size(), 0.0), std::vector<double>(k.size(), 0.0),
                       std::vector<double>(v.size(), 0.0)};
  for_each_query(c, [&](int64_t b, int64_t h, int64_t i, int64_t keys) {
    const int64_t token = q_begin[b] + i;
    const double* const row = &p[((b * c.heads + h) * Sq + i) * Sk];
    std::vector<double> dp(static_cast<size_t>(keys));
    double delta = 0;
    for (int64_t j = 0; j < keys; ++j) {
      dp[j] = factor(token, h, j) * head_product(c, h, &grad_o[token * D], &v[(k_begin[b] + j) * D]);
      delta += row[j] * dp[j];
    }
    for (int64_t j = 0; j < keys; ++j) {
      const double ds = c.scale() * row[j] * (dp[j] - delta), dropped = factor(token, h, j) * row[j];
      for (int64_t d = h * c.Dh; d < (h + 1) * c.Dh; ++d) {
        const int64_t query = token * D + d, key = (k_begin[b] + j) * D + d;
        g.dq[query] += ds * k[key];
        g.dk[key] += ds * q[query];
        g.dv[key] += dropped * grad_o[query];
      }
    }
  });
  return g;
}

}  // namespace xf::tests
