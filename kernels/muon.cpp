#include "kernels/muon.h"

#include <algorithm>

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

namespace {

void check_places(const MatrixPlaces& matrices, int64_t P) {
  XF_CHECK(matrices.rows > 0 && matrices.columns > 0, "muon: matrices must have elements, got [{}, {}]",
           matrices.rows, matrices.columns);
  if (matrices.begins.device() != Device::cpu()) return;
  const int64_t size = matrices.rows * matrices.columns;
  for (int64_t i = 0; i < matrices.begins.numel(); ++i) {
    const int32_t begin = matrices.begins.data<int32_t>()[i];
    XF_CHECK(begin >= 0 && begin + size <= P, "muon: matrix {} at {} is outside of the {} parameters", i,
             begin, P);
  }
}

}  // namespace

// X, the next X, and two products of X with itself; in whole 16 bytes, which is how far apart
// matrices lie.
int64_t muon_workspace(int64_t rows, int64_t columns) {
  constexpr int64_t kAligned = 4;
  const int64_t smaller = std::min(rows, columns), elements = 2 * rows * columns + 2 * smaller * smaller;
  return (elements + kAligned - 1) / kAligned * kAligned;
}

void muon(const MuonOptions& options, const Tensor& step, float clip_norm, const Tensor& norm_squared,
          const MatrixPlaces& matrices, Out p, Out m, Out g, Out rounded, Out workspace) {
  check_arguments(signature_of("muon"),
                  {&step, &norm_squared, &matrices.begins, &p, &m, &g, &rounded, &workspace});
  check_places(matrices, p.numel());
  const int64_t room = workspace.numel() / muon_workspace(matrices.rows, matrices.columns);
  XF_CHECK(room > 0, "muon: a [{}, {}] matrix needs a workspace of {} elements, got {}", matrices.rows,
           matrices.columns, muon_workspace(matrices.rows, matrices.columns), workspace.numel());
  dispatch(p, [&]<typename T>(auto backend) {
    muon(backend, MuonArgs<T>{.options = options,
                              .step = step.data<float>(),
                              .clip_norm = clip_norm,
                              .norm_squared = norm_squared.data<double>(),
                              .begins = matrices.begins.data<int32_t>(),
                              .matrices = matrices.begins.numel(),
                              .rows = matrices.rows,
                              .columns = matrices.columns,
                              .p = p.data<T>(),
                              .m = m.data<T>(),
                              .g = g.data<T>(),
                              .rounded = data_or_null<bf16>(rounded),
                              .workspace = workspace.data<T>(),
                              .at_a_time = room});
  });
}

}  // namespace xf::kernels
