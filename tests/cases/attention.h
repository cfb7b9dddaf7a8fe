// Attention: sentence lengths that find mistakes, and what the plain kernel makes of them, head by
// head.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/attention.h"
#include "kernels/plain/attention.h"

namespace xf::tests {

struct AttentionCase {
  const char* reason;
  int64_t heads, Dh;
  std::vector<int32_t> query_lengths, key_lengths;
  bool causal;
  int64_t spare = 0;  // rows past the last sentence, on both sides
  int64_t group = 1;  // query heads that share a key head

  int64_t B() const { return static_cast<int64_t>(query_lengths.size()); }
  int64_t D() const { return heads * Dh; }
  int64_t Dk() const { return D() / group; }
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
      {"two key heads for six, causal, more queries than a chunk has",
       6,
       5,
       {9, 70, 0},
       {9, 33, 4},
       true,
       1,
       3},
      {"one key head for all, cross; keys without queries", 4, 32, {33, 1, 0}, {40, 7, 3}, false, 2, 4},
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
      {"two key heads for four, causal, many tiles", 4, 16, {140, 0, 3}, {140, 2, 3}, true, 2, 2},
      {"one key head for three, cross", 3, 8, {65, 4}, {130, 20}, false, 0, 3},
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

// As many keys as the dropout's counter tells apart; two heads, so that one's keys must not be the
// other's.
inline AttentionCase most_keys_case() { return {"2^16 keys", 2, 4, {3, 0, 1}, {65536, 1, 2}, false}; }

struct AttentionReference {
  std::vector<double> o;    // [Tq, D]
  std::vector<double> lse;  // [H, Tq]
  std::vector<double> p;    // [B, H, Sq, Sk], before dropout; Sq, Sk the longest
};

// body(head, h, token, at_q, at_k, at_p) for each sentence and head h that has queries and keys:
// its first query's token, where its queries and keys begin in matrices of D and Dk columns, and
// where its probabilities do in [B, H, Sq, Sk].
template <typename Body>
void for_each_head(const AttentionCase& c, const Body& body) {
  const auto q_begin = offsets_of(c.query_lengths), k_begin = offsets_of(c.key_lengths);
  const int64_t D = c.D(), Dk = c.Dk(), Sq = c.longest_query(), Sk = c.longest_key();
  for (int64_t b = 0; b < c.B(); ++b) {
    const kernels::plain::AttentionHead head{c.query_lengths[b], c.key_lengths[b], c.Dh, D, Dk,
                                             c.scale(),          c.causal};
    if (head.Tq == 0 || head.Tk == 0) continue;
    for (int64_t h = 0; h < c.heads; ++h) {
      body(head, h, q_begin[b], q_begin[b] * D + h * c.Dh, k_begin[b] * Dk + h / c.group * c.Dh,
           (b * c.heads + h) * Sq * Sk);
    }
  }
}

// A sentence's part of [Sq, Sk], dense: [Tq, Tk].
template <typename Element>
std::vector<double> head_matrix(const kernels::plain::AttentionHead& head, const Element& element) {
  std::vector<double> matrix;
  for (int64_t i = 0; i < head.Tq; ++i) {
    for (int64_t j = 0; j < head.Tk; ++j) matrix.push_back(element(i, j));
  }
  return matrix;
}

// factor(token, head, key): what dropout multiplies a probability by.
template <typename Factor>
AttentionReference attention_reference(const AttentionCase& c, const std::vector<double>& q,
                                       const std::vector<double>& k, const std::vector<double>& v,
                                       const Factor& factor) {
  const int64_t D = c.D(), Dk = c.Dk(), Tq = c.Tq(), Sq = c.longest_query(), Sk = c.longest_key();
  AttentionReference r{
      std::vector<double>(static_cast<size_t>(Tq * D), 0.0),
      std::vector<double>(static_cast<size_t>(c.heads * Tq), -std::numeric_limits<double>::infinity()),
      std::vector<double>(static_cast<size_t>(c.B() * c.heads * Sq * Sk), 0.0)};
  for_each_head(c, [&](const auto& head, int64_t h, int64_t token, int64_t at_q, int64_t at_k, int64_t at_p) {
    const auto m = head_matrix(head, [&](int64_t i, int64_t j) { return factor(token + i, h, j); });
    std::vector<double> p(m.size());
    kernels::plain::attention_forward(head, &q[at_q], &k[at_k], &v[at_k], m.data(), p.data(), &r.o[at_q]);
    for (int64_t i = 0; i < head.Tq; ++i) {
      std::copy_n(&p[i * head.Tk], head.Tk, &r.p[at_p + i * Sk]);
      double sum = 0;
      for (int64_t j = 0; j < head.Tk; ++j) {
        if (!head.attends(i, j)) continue;
        sum += std::exp(head.scale * kernels::plain::dot(head.Dh, &q[at_q + i * D], &k[at_k + j * Dk]));
      }
      r.lse[h * Tq + token + i] = std::log(sum);
    }
  });
  return r;
}

struct AttentionGradients {
  std::vector<double> dq, dk, dv;
};

// p: of the reference.
template <typename Factor>
AttentionGradients attention_gradients(const AttentionCase& c, const std::vector<double>& q,
                                       const std::vector<double>& k, const std::vector<double>& v,
                                       const std::vector<double>& grad_o, const std::vector<double>& p,
                                       const Factor& factor) {
  const int64_t Sk = c.longest_key();
  AttentionGradients g{std::vector<double>(q.size(), 0.0), std::vector<double>(k.size(), 0.0),
                       std::vector<double>(v.size(), 0.0)};
  for_each_head(c, [&](const auto& head, int64_t h, int64_t token, int64_t at_q, int64_t at_k, int64_t at_p) {
    const auto m = head_matrix(head, [&](int64_t i, int64_t j) { return factor(token + i, h, j); });
    const auto own_p = head_matrix(head, [&](int64_t i, int64_t j) { return p[at_p + i * Sk + j]; });
    kernels::plain::attention_backward(head, &grad_o[at_q], &q[at_q], &k[at_k], &v[at_k], m.data(),
                                       own_p.data(), &g.dq[at_q], &g.dk[at_k], &g.dv[at_k]);
  });
  return g;
}

}  // namespace xf::tests
