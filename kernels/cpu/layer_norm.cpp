// Layer normalisation on the CPU: a row stays in the first-level cache through its passes, so memory is read
// and written once; threads take runs of rows.
#include "kernels/layer_norm.h"

#include "kernels/cpu/layer_norm_row.h"
#include "kernels/cpu/level.h"
#include "kernels/cpu/rows.h"

namespace xf::kernels {

template <typename T, CpuLevel L>
void layer_norm_forward(Cpu<L>, const LayerNormForwardArgs<T>& args) {
  const int64_t D = args.D;
  for_each_row(args.N, D, [&](int64_t n) {
    const auto row = normalise_row(args.x + n * D, args.gamma, args.beta, D, args.eps, args.y + n * D);
    args.mean[n] = row.mean;
    args.rstd[n] = row.rstd;
  });
}

template <typename T, CpuLevel L>
void layer_norm_backward(Cpu<L>, const LayerNormBackwardArgs<T>& args) {
  const int64_t D = args.D;
  const Acc<T>* sums = column_sums<Acc<T>>(args.N, D, 2 * D, [&](int64_t n, Acc<T>* partial) {
    normalise_row_backward<T>(args.dy + n * D, args.x + n * D, args.gamma, {args.mean[n], args.rstd[n]},
                              nullptr, D, args.dx + n * D, partial);
  });
  add_to(sums, D, args.dgamma);
  add_to(sums + D, D, args.dbeta);
}

template void layer_norm_forward(Cpu<kLevel>, const LayerNormForwardArgs<float>&);
template void layer_norm_forward(Cpu<kLevel>, const LayerNormForwardArgs<double>&);
template void layer_norm_forward(Cpu<kLevel>, const LayerNormForwardArgs<bf16>&);
template void layer_norm_backward(Cpu<kLevel>, const LayerNormBackwardArgs<float>&);
template void layer_norm_backward(Cpu<kLevel>, const LayerNormBackwardArgs<double>&);
template void layer_norm_backward(Cpu<kLevel>, const LayerNormBackwardArgs<bf16>&);

}  // namespace xf::kernels
