#include "tools/tutorials/model/masks.h"

namespace xf::nn::quirks {

Tensor source_mask(const Tensor& ids, int32_t pad) {
  const Tensor mask = Tensor::empty({ids.dim(0), 1, 1, ids.dim(1)}, DType::i32);
  for (int64_t n = 0; n < ids.numel(); ++n) mask.data<int32_t>()[n] = ids.data<int32_t>()[n] != pad ? 1 : 0;
  return mask;
}

Tensor pair_mask(const Tensor& queries, int32_t query_pad, const Tensor& keys, int32_t key_pad) {
  const int64_t B = queries.dim(0), Sq = queries.dim(1), Sk = keys.dim(1);
  const Tensor mask = Tensor::empty({B, 1, Sq, Sk}, DType::i32);
  for (int64_t n = 0; n < B * Sq; ++n) {
    const int32_t *key = keys.data<int32_t>() + n / Sq * Sk, query = queries.data<int32_t>()[n];
    for (int64_t j = 0; j < Sk; ++j)
      mask.data<int32_t>()[n * Sk + j] = query != query_pad && key[j] != key_pad ? 1 : 0;
  }
  return mask;
}

Tensor target_mask(const Tensor& ids, int32_t pad, PadAxis axis) {
  const int64_t B = ids.dim(0), T = ids.dim(1);
  const Tensor mask = Tensor::zeros({B, 1, T, T}, DType::i32);
  for (int64_t b = 0; b < B; ++b) {
    const int32_t* id = ids.data<int32_t>() + b * T;
    for (int64_t i = 0; i < T; ++i) {
      const bool hidden = axis != PadAxis::key && id[i] == pad;
      for (int64_t j = 0; j <= i; ++j)
        mask.data<int32_t>()[(b * T + i) * T + j] =
            !hidden && (axis == PadAxis::query || id[j] != pad) ? 1 : 0;
    }
  }
  return mask;
}

Tensor everybody() { return Tensor::from(std::vector<int32_t>{1}, {1, 1, 1, 1}); }

Masks masks_of(const Tensor& source, const Tensor& target, const Config& config) {
  const Quirks& quirks = config.quirks;
  if (!quirks.apply_mask) return {everybody(), everybody(), everybody()};
  const int32_t target_pad = quirks.target_masked_by_source_pad ? config.source_pad : config.target_pad;
  const Tensor of_target = target_mask(target, target_pad, quirks.pad_axis);
  if (quirks.pad_axis == PadAxis::both) {
    return {pair_mask(source, config.source_pad, source, config.source_pad), of_target,
            pair_mask(target, target_pad, source, config.source_pad)};
  }
  const Tensor of_source = source_mask(source, config.source_pad);
  return {of_source, of_target, of_source};
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
