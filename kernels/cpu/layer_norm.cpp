// Layer normalisation on the CPU: a few rows stay in the first-level cache through their passes, so
// memory is read and written once; threads take runs of them.
#include "kernels/layer_norm.h"

#include "kernels/cpu/element.h"
#include "kernels/cpu/layer_norm_run.h"
#include "kernels/cpu/rows.h"

namespace xf::kernels {

template <typename T, CpuLevel L>
void layer_norm_forward(Cpu<L>, const LayerNormForwardArgs<T>& args) {
  const int64_t D = args.D;
  const Acc<T>* const gamma = widened<Scratch::gamma>(args.gamma, D);
  const Acc<T>* const beta = widened<Scratch::beta>(args.beta, D);
  for_each_run<T>(args.N, D, [&](int64_t n, int64_t count) {
    normalise_run(args.x + n * D, gamma, beta, count, D, args.eps, args.y + n * D, args.mean + n,
                  args.rstd + n);
  });
}

template <typename T, CpuLevel L>
void layer_norm_backward(Cpu<L>, const LayerNormBackwardArgs<T>& args) {
  const int64_t D = args.D;
  const Acc<T>* const gamma = widened<Scratch::gamma>(args.gamma, D);
  const Acc<T>* sums = column_sums_of_runs<Acc<T>>(
      args.N, D, rows_of_run<T>(D), 2 * D, [&](int64_t n, int64_t count, Acc<T>* partial) {
        normalise_run_backward<T>(args.dy + n * D, args.x + n * D, gamma, args.mean + n, args.rstd + n,
                                  nullptr, count, D, args.dx + n * D, partial);
      });
  add_to(sums, D, args.dgamma);
  add_to(sums + D, D, args.dbeta);
}

XF_INSTANTIATE(layer_norm_forward, LayerNormForwardArgs);
XF_INSTANTIATE(layer_norm_backward, LayerNormBackwardArgs);

}  // namespace xf::kernels
