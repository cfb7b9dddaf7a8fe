#include "nn/decoder_cache.h"

#include <algorithm>

#include "kernels/elementwise.h"

namespace xf::nn {

std::vector<Tensor> make_cache(const TransformerConfig& config, Arena& arena, int64_t rows, DType dtype) {
  std::vector<Tensor> layers(static_cast<size_t>(config.decoder_layers));
  for (Tensor& layer : layers) layer = arena.allocate({rows, 3 * config.dim}, dtype);
  return layers;
}

void reserve_cache(std::vector<Tensor>& layers, Arena& arena, int64_t used, int64_t rows) {
  for (Tensor& layer : layers) {
    if (layer.rows() >= rows) continue;
    const Tensor larger = arena.allocate({std::max(rows, 2 * layer.rows()), layer.width()}, layer.dtype());
    kernels::copy(layer.slice_rows(0, used), larger.slice_rows(0, used));
    layer = larger;
  }
}

}  // namespace xf::nn
