// Shapes of muon, and one update by its plain kernel.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/plain/muon.h"
#include "tests/support/compare.h"

namespace xf::tests {

// Matrices of [rows, columns], as many as `matrices`, in flat memory with `gap` elements before
// each.
struct MuonCase {
  const char* why;
  int64_t matrices, rows, columns, gap;

  int64_t size() const { return rows * columns; }
  int64_t parameters() const { return matrices * (size() + gap) + gap; }
  std::vector<int32_t> begins() const {
    std::vector<int32_t> all;
    for (int64_t i = 0; i < matrices; ++i) all.push_back(static_cast<int32_t>(i * (size() + gap) + gap));
    return all;
  }
};

inline const std::vector<MuonCase>& muon_cases() {
  static const std::vector<MuonCase> cases = {
      {"one element", 1, 1, 1, 0},     {"a row", 2, 1, 7, 1},
      {"a column", 2, 7, 1, 3},        {"wide, odd", 3, 5, 9, 5},
      {"tall, odd", 3, 11, 6, 0},      {"square, more than a block", 2, 65, 65, 16},
      {"no matrix at all", 0, 4, 4, 8}};
  return cases;
}

struct MuonState {
  std::vector<double> p, m;
};

// An update by a gradient `g` of all parameters, summed over `tokens` tokens.
inline void muon_reference(const MuonCase& c, const kernels::MuonOptions& options, double learning_rate,
                           double tokens, double clip_norm, const std::vector<double>& g, MuonState& state) {
  double squares = 0;
  for (const double x : g) squares += x * x;
  const double norm = std::sqrt(squares) / tokens;
  const double scale = (clip_norm > 0 ? std::min(1.0, clip_norm / norm) : 1.0) / tokens;
  for (const int32_t begin : c.begins()) {
    kernels::plain::muon(c.rows, c.columns, options, learning_rate, scale, g.data() + begin,
                         state.p.data() + begin, state.m.data() + begin);
  }
}

}  // namespace xf::tests
