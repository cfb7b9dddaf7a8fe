// One update of Muon: docs/derivations/muon.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/muon.h"

namespace xf::kernels::plain {

// Of one matrix; scale: 1 / tokens, and what clipping leaves of it.
inline void muon(int64_t rows, int64_t columns, const MuonOptions& options, double learning_rate,
                 double scale,
                 const double* g,  // [rows, columns]
                 double* p,        // [rows, columns], updated
                 double* mu) {     // [rows, columns], updated: the momentum
  const double beta = options.momentum, decay = options.weight_decay;
  const MuonPolynomial f;
  const int64_t size = rows * columns;
  std::vector<double> x(static_cast<size_t>(size)), next(x.size());
  const auto at = [columns](std::vector<double>& of, int64_t r, int64_t c) -> double& {
    return of[static_cast<size_t>(r * columns + c)];
  };
  double squares = 0;
  for (int64_t i = 0; i < size; ++i) {
    const double scaled = scale * g[i];          // MU1
    mu[i] = beta * mu[i] + (1 - beta) * scaled;  // MU2
    const double u = beta * mu[i] + (1 - beta) * scaled;
    squares += u * u;
    x[static_cast<size_t>(i)] = u;
  }
  const double norm = squares > 0 ? std::sqrt(squares) : 1;
  for (double& element : x) element /= norm;  // MU3
  std::vector<double> gram(static_cast<size_t>(rows * rows)), even(gram.size());
  const auto of_rows = [rows](std::vector<double>& of, int64_t r, int64_t s) -> double& {
    return of[static_cast<size_t>(r * rows + s)];
  };
  for (int iteration = 0; iteration < kMuonIterations; ++iteration) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t s = 0; s < rows; ++s) {
        of_rows(gram, r, s) = 0;
        for (int64_t c = 0; c < columns; ++c) of_rows(gram, r, s) += at(x, r, c) * at(x, s, c);
      }
    }
    // a + b A + c A A, the polynomial's even factor.
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t s = 0; s < rows; ++s) {
        double square = 0;
        for (int64_t q = 0; q < rows; ++q) square += of_rows(gram, r, q) * of_rows(gram, q, s);
        of_rows(even, r, s) = (r == s ? f.a : 0) + f.b * of_rows(gram, r, s) + f.c * square;
      }
    }
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        at(next, r, c) = 0;
        for (int64_t s = 0; s < rows; ++s) at(next, r, c) += of_rows(even, r, s) * at(x, s, c);  // MU4
      }
    }
    x.swap(next);
  }
  const double along = kMuonRms * std::sqrt(static_cast<double>(std::max(rows, columns)));
  for (int64_t i = 0; i < size; ++i)
    p[i] -= learning_rate * (along * x[static_cast<size_t>(i)] + decay * p[i]);  // MU5
}

}  // namespace xf::kernels::plain
