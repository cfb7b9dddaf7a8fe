// Residual, dropout and layer normalisation on CUDA, one trip through memory per direction; dropout's words
// are recomputed, and without dropout not computed. Mapping of threads, bytes and block sizes:
// layer_norm_row.cuh.
#include "kernels/residual_norm.h"

#include "kernels/cuda/layer_norm_row.cuh"
#include "kernels/cuda/layer_norm_row_backward.cuh"

namespace xf::kernels {

template <typename T>
void residual_norm_forward(Cuda, const ResidualNormForwardArgs<T>& args) {
  normalise_rows<true>(args);
}

template <typename T>
void residual_norm_backward(Cuda, const ResidualNormBackwardArgs<T>& args) {
  normalise_rows_backward<true>(args);
}

template void residual_norm_forward(Cuda, const ResidualNormForwardArgs<float>&);
template void residual_norm_forward(Cuda, const ResidualNormForwardArgs<bf16>&);
template void residual_norm_backward(Cuda, const ResidualNormBackwardArgs<float>&);
template void residual_norm_backward(Cuda, const ResidualNormBackwardArgs<bf16>&);

}  // namespace xf::kernels
