// Muon over the matrices of hidden layers: descent along the orthogonal matrix that is nearest to
// the momentum, found by a few products (Newton-Schulz). Jordan et al. 2024,
// https://kellerjordan.github.io/posts/muon/; the factor that makes its updates as large as Adam's,
// and decay: Liu et al. 2025, arXiv:2502.16982, section 2.2. As in kernels/adam.h, whose
// sum_of_squares it is given, the scale of the loss, clipping and skipping are applied here, from
// device memory.
#pragma once

#include "core/backend.h"
#include "core/tensor.h"

namespace xf::kernels {

struct MuonOptions {
  float momentum = 0.95f;
  float weight_decay = 0;  // decoupled
};

// MU4: x <- a x + b x^3 + c x^5 on singular values in (0, 1], so many times. The coefficients are
// those of the source, which let the smallest grow fastest: after five times what was above 0.002
// lies between 0.68 and 1.21.
constexpr int kMuonIterations = 5;
struct MuonPolynomial {
  double a = 3.4445, b = -4.7750, c = 2.0315;
};
// MU5: the root mean square of an update's elements, at rate 1.
constexpr double kMuonRms = 0.2;

// Matrices of one shape in flat memory: element [r, c] of matrix i lies at begins[i] + r * columns
// + c.
struct MatrixPlaces {
  Tensor begins;  // i32 [B]; the matrices do not overlap
  int64_t rows = 0, columns = 0;
};

// Elements of muon's workspace for one matrix.
int64_t muon_workspace(int64_t rows, int64_t columns);

// step f32 [4] in: as adam's
// clip_norm: 0 = off, else the norm of the scaled gradient is cut to it
// norm_squared [1] in: sum_of_squares, of the unscaled gradient of all that is trained
//   scale = 1/tokens * min(1, clip_norm / (norm / tokens)),  g' = scale * g  (MU1)
//   m <- momentum m + (1 - momentum) g'  (MU2)
//   X = U / ||U||_F,  U = momentum m + (1 - momentum) g'  (MU3); zero where the squares of U are
//   X <- a X + b (X X^T) X + c (X X^T)^2 X,  five times  (MU4)
//   p <- p - lr (0.2 sqrt(max(rows, columns)) X + weight_decay p)  (MU5)
// p, m, g [P]: at the matrices' places p and m updated, g zeroed; elsewhere untouched. A norm that
// is not finite: p, m stay, g is zeroed.
// rounded bf16 [P] written there: p for the products of the next step; undefined where the model
// computes in p itself. workspace, of p's type: as many matrices at a time as it has room for, at
// least one. The more, the better for threads and launches; the result is the same but for the
// products' sums (kernels/matmul.h).
void muon(const MuonOptions& options, const Tensor& step, float clip_norm, const Tensor& norm_squared,
          const MatrixPlaces& matrices, Out p, Out m, Out g, Out rounded, Out workspace);

template <typename T>
struct MuonArgs {
  MuonOptions options;
  const float* step;
  float clip_norm;
  const double* norm_squared;
  const int32_t* begins;
  int64_t matrices, rows, columns;
  T *p, *m, *g;
  bf16* rounded;
  T* workspace;
  int64_t at_a_time;  // matrices
};
XF_BACKENDS(muon, MuonArgs);

}  // namespace xf::kernels
