// Layer normalisation on CUDA. Mapping of threads, bytes and block sizes: layer_norm_row.cuh.
#include "kernels/layer_norm.h"

#include "kernels/cuda/layer_norm_row.cuh"
#include "kernels/cuda/layer_norm_row_backward.cuh"

namespace xf::kernels {

template <typename T>
void layer_norm_forward(Cuda, const LayerNormForwardArgs<T>& args) {
  normalise_rows<false>(args);
}

template <typename T>
void layer_norm_backward(Cuda, const LayerNormBackwardArgs<T>& args) {
  normalise_rows_backward<false>(args);
}

XF_INSTANTIATE(layer_norm_forward, LayerNormForwardArgs);
XF_INSTANTIATE(layer_norm_backward, LayerNormBackwardArgs);

}  // namespace xf::kernels
