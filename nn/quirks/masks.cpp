#include "nn/quirks/masks.h"

namespace xf::nn::quirks {

Tensor source_mask(const Tensor& ids, int32_t pad) {
  const Tensor mask = Tensor::empty({ids.dim(0), 1, 1, ids.dim(1)}, DType::i32);
  for (int64_t n = 0; n < ids.numel(); ++n) mask.data<int32_t>()[n] = ids.data<int32_t>()[n] != pad ? 1 : 0;
  return mask;
}

Tensor target_mask(const Tensor& ids, int32_t pad, PadAxis axis) {
  const int64_t B = ids.dim(0), T = ids.dim(1);
  const Tensor mask = Tensor::zeros({B, 1, T, T}, DType::i32);
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t i = 0; i < T; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const int64_t asked = axis == PadAxis::key ? j : i;
        mask.data<int32_t>()[(b * T + i) * T + j] = ids.data<int32_t>()[b * T + asked] != pad ? 1 : 0;
      }
    }
  }
  return mask;
}

Tensor broadcast(const Tensor& mask, Shape shape) {
  const Tensor whole = Tensor::empty(shape, DType::i32);
  const auto at = [&](int axis, int64_t index) { return mask.dim(axis) == 1 ? 0 : index; };
  int32_t* element = whole.data<int32_t>();
  for (int64_t b = 0; b < shape[0]; ++b) {
    for (int64_t h = 0; h < shape[1]; ++h) {
      for (int64_t i = 0; i < shape[2]; ++i) {
        const int64_t row = (at(0, b) * mask.dim(1) + at(1, h)) * mask.dim(2) + at(2, i);
        for (int64_t j = 0; j < shape[3]; ++j)
          *element++ = mask.data<int32_t>()[row * mask.dim(3) + at(3, j)];
      }
    }
  }
  return whole;
}

}  // namespace xf::nn::quirks
