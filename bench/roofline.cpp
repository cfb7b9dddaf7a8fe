#include "bench/roofline.h"

#include <algorithm>
#include <limits>

namespace xf::bench {

namespace {

// (1) for the kernels of one step; N, K, M, S as in docs/notation.md.
class Kernels {
 public:
  Kernels(const StepSize& size, const Machine& machine) : size_(size), machine_(machine) {}

  // x [N, K] times W [M, K]: forward, dx, dW, which read and write three matrices of the same
  // sizes.
  double product(int64_t N, int64_t K, int64_t M) const {
    const double n = static_cast<double>(N), k = static_cast<double>(K), m = static_cast<double>(M);
    return 3 * bound((n * k + k * m + n * m) * size_.element_bytes, 2 * n * k * m);
  }
  // Forward q, k, v, o; backward q, dO, dq for queries and k, v, dk, dv for keys.
  double attention(int64_t queries, int64_t keys, double length) const {
    const double rows = 5 * static_cast<double>(queries) + 6 * static_cast<double>(keys);
    const double flops = 3.5 * 4 * static_cast<double>(queries * size_.dim) * length;
    return bound(rows * static_cast<double>(size_.dim) * size_.element_bytes, flops);
  }
  // `passes` over [rows, width].
  double passes(double passes, int64_t rows, int64_t width) const {
    return bound(passes * static_cast<double>(rows * width) * size_.element_bytes, 0);
  }
  double parameters(double bytes_each) const {
    return bound(bytes_each * static_cast<double>(size_.parameters), 0);
  }

 private:
  double bound(double bytes, double flops) const { return kernel_floor(bytes, flops, machine_); }
  StepSize size_;
  Machine machine_;
};

}  // namespace

double step_flops(const StepSize& size) {
  const auto d = static_cast<double>(size.dim), f = static_cast<double>(size.feed_forward);
  const auto L = static_cast<double>(size.layers), V = static_cast<double>(size.target_vocabulary);
  const auto Ns = static_cast<double>(size.source_tokens), Nt = static_cast<double>(size.target_tokens);
  const double encoder = L * Ns * (8 * d * d + 4 * d * f);
  const double decoder = L * Nt * (12 * d * d + 4 * d * f) + L * Ns * 4 * d * d;
  const double logits = 2 * Nt * d * V;
  const double attention = 4 * d * L * ((Ns + Nt) * size.source_length + Nt * size.target_length);
  return 3 * (encoder + decoder + logits) + 3.5 * attention;
}

StepFloor step_floor(const StepSize& size, const Machine& machine) {
  const Kernels of(size, machine);
  const int64_t d = size.dim, f = size.feed_forward, L = size.layers;
  const int64_t Ns = size.source_tokens, Nt = size.target_tokens;
  const auto layers = static_cast<double>(L);
  const auto stack = [&](int64_t N) {
    return of.product(N, d, 3 * d) + of.product(N, d, d) + of.product(N, d, f) + of.product(N, f, d);
  };
  const double cross = 2 * of.product(Nt, d, d);  // queries and output; keys and values of all
                                                  // layers are one
                                                  // product
  StepFloor floor;
  floor.gemm = layers * (stack(Ns) + stack(Nt) + cross) + of.product(Ns, d, 2 * L * d);
  floor.logits = of.product(Nt, d, size.target_vocabulary);
  floor.attention =
      layers * (of.attention(Ns, Ns, size.source_length) + of.attention(Nt, Nt, size.target_length) +
                of.attention(Nt, Ns, size.source_length));
  floor.norms = layers * (2 * of.passes(3 + 4, Ns, d) + 3 * of.passes(3 + 4, Nt, d));
  floor.cross_entropy = of.passes(2, Nt, size.target_vocabulary);
  floor.adam = of.parameters(28);
  floor.rest = of.passes(4, Ns + Nt, d) + of.parameters(size.element_bytes);
  return floor;
}

// On a machine that computes in no time, the seconds at one byte per second.
double step_bytes(const StepSize& size) {
  return step_floor(size, {.copy_rate = 1, .gemm_rate = std::numeric_limits<double>::infinity()}).total();
}

double kernel_floor(double bytes, double flops, const Machine& machine) {
  return std::max(bytes / machine.copy_rate, flops / machine.gemm_rate);
}

}  // namespace xf::bench
