// Layer normalisation on CUDA. Mapping of threads, bytes and block sizes: layer_norm_row.cuh.
#include "kernels/layer_norm.h"

#include "kernels/cuda/layer_norm_row.cuh"
#include "kernels/cuda/layer_norm_row_backward.cuh"

namespace xf::kernels {

template <typename T>
void layer_norm_forward(Cuda, const LayerNormForwardArgs<T>& args) {
  normalise_rows<false>(ResidualNormForwardArgs<T>{.x = args.x,
                                                   .s = nullptr,
                                                   .gamma = args.gamma,
                                                   .beta = args.beta,
                                                   .sum = nullptr,
                                                   .y = args.y,
                                                   .mean = args.mean,
                                                   .rstd = args.rstd,
                                                   .N = args.N,
                                                   .D = args.D,
                                                   .eps = args.eps,
                                                   .dropout = {}});
}

template <typename T>
void layer_norm_backward(Cuda, const LayerNormBackwardArgs<T>& args) {
  normalise_rows_backward<false>(ResidualNormBackwardArgs<T>{.dy = args.dy,
                                                             .dsum = nullptr,
                                                             .sum = args.x,
                                                             .gamma = args.gamma,
                                                             .mean = args.mean,
                                                             .rstd = args.rstd,
                                                             .dx = args.dx,
                                                             .ds = nullptr,
                                                             .dgamma = args.dgamma,
                                                             .dbeta = args.dbeta,
                                                             .N = args.N,
                                                             .D = args.D,
                                                             .dropout = {}});
}

template void layer_norm_forward(Cuda, const LayerNormForwardArgs<float>&);
template void layer_norm_forward(Cuda, const LayerNormForwardArgs<bf16>&);
template void layer_norm_backward(Cuda, const LayerNormBackwardArgs<float>&);
template void layer_norm_backward(Cuda, const LayerNormBackwardArgs<bf16>&);

}  // namespace xf::kernels
