// Residual, dropout and layer normalisation on CUDA, one trip through memory per direction;
// dropout's words are recomputed, and without dropout not computed. Mapping of threads, bytes and
// block sizes: layer_norm_row.cuh.
#include "kernels/residual_norm.h"

#include "kernels/cuda/layer_norm_row.cuh"
#include "kernels/cuda/layer_norm_row_backward.cuh"

namespace xf::kernels {

template <typename T>
void residual_norm_forward(Cuda, const LayerNormForwardArgs<T>& args) {
  normalise_rows<true>(args);
}

template <typename T>
void residual_norm_backward(Cuda, const LayerNormBackwardArgs<T>& args) {
  normalise_rows_backward<true>(args);
}

XF_INSTANTIATE(residual_norm_forward, LayerNormForwardArgs);
XF_INSTANTIATE(residual_norm_backward, LayerNormBackwardArgs);

}  // namespace xf::kernels
