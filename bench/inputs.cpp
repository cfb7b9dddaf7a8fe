#include "bench/inputs.h"

#include <cstring>

#include "core/parallel.h"

namespace xf::bench {

Tensor Inputs::filled(DType dtype, Shape shape, const std::vector<float>& values) {
  Tensor narrow = Tensor::from(values, shape);
  if (dtype == DType::bf16) narrow = narrow.to_bf16();
  if (dtype == DType::f64) narrow = Tensor::from(std::vector<double>(values.begin(), values.end()), shape);
  Tensor tensor = allocate_(shape, dtype);
  tensor.copy_from(narrow);
  return tensor;
}

Tensor Inputs::random_of(DType dtype, Shape shape, float low, float high) {
  constexpr int64_t kGrain = 1 << 14, kWords = 4;  // of one counter
  const uint64_t stream = ++stream_;
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  const auto fill = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Philox words = Philox::at(static_cast<uint32_t>(i), static_cast<uint32_t>(i >> 32),
                                      static_cast<uint32_t>(stream), 0, static_cast<uint32_t>(seed_), 0);
      for (int64_t k = kWords * i; k < std::min(kWords * (i + 1), shape.numel()); ++k)
        values[k] = low + (high - low) * static_cast<float>(words.x[k % kWords] >> 8) * 0x1p-24f;
    }
  };
  parallel_for((shape.numel() + kWords - 1) / kWords, kGrain, fill);
  return filled(dtype, shape, values);
}

Tensor Inputs::random(Shape shape, float low, float high) {
  return random_of(target_.dtype, shape, low, high);
}

Tensor Inputs::random_sums(Shape shape, float low, float high) {
  return random_of(target_.accumulator(), shape, low, high);
}

Tensor Inputs::zeros(Shape shape, DType dtype) {
  Tensor tensor = allocate_(shape, dtype);
  tensor.fill_zero();
  return tensor;
}

Tensor Inputs::zero_sums(Shape shape) { return zeros(shape, target_.accumulator()); }

// All bits set are a NaN in every type.
Tensor Inputs::not_a_number(Shape shape, DType dtype) {
  Tensor tensor = allocate_(shape, dtype), bits = tensor;
  if (tensor.device().type == DeviceType::cuda) bits = Tensor::empty(shape, dtype);
  std::memset(bits.raw(), 0xFF, static_cast<size_t>(bits.bytes()));
  if (tensor.device().type == DeviceType::cuda) tensor.copy_from(bits);
  return tensor;
}

Tensor Inputs::poisoned(Shape shape) { return not_a_number(shape, target_.dtype); }

Tensor Inputs::poisoned_sums(Shape shape) { return not_a_number(shape, target_.accumulator()); }

Tensor Inputs::ids(const std::vector<int32_t>& values, Shape shape) {
  Tensor tensor = allocate_(shape, DType::i32);
  tensor.copy_from(Tensor::from(values, shape));
  return tensor;
}

}  // namespace xf::bench
