#include "bench/inputs.h"

#include <cmath>

namespace xf::bench {

Tensor Inputs::filled(DType dtype, Shape shape, const std::vector<float>& values) {
  Tensor narrow = Tensor::from(values, shape);
  if (dtype == DType::bf16) narrow = narrow.to_bf16();
  if (dtype == DType::f64) narrow = Tensor::from(std::vector<double>(values.begin(), values.end()), shape);
  Tensor tensor = arena_.allocate(shape, dtype);
  tensor.copy_from(narrow);
  return tensor;
}

Tensor Inputs::random_of(DType dtype, Shape shape, float low, float high) {
  PhiloxSequence sequence(1, ++stream_);
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  for (float& value : values) value = low + (high - low) * sequence.uniform();
  return filled(dtype, shape, values);
}

Tensor Inputs::random(Shape shape, float low, float high) {
  return random_of(target_.dtype, shape, low, high);
}

Tensor Inputs::random_sums(Shape shape, float low, float high) {
  return random_of(target_.accumulator(), shape, low, high);
}

Tensor Inputs::zeros(Shape shape, DType dtype) {
  Tensor tensor = arena_.allocate(shape, dtype);
  tensor.fill_zero();
  return tensor;
}

Tensor Inputs::zero_sums(Shape shape) { return zeros(shape, target_.accumulator()); }

Tensor Inputs::poisoned(Shape shape) {
  return filled(target_.dtype, shape, std::vector<float>(static_cast<size_t>(shape.numel()), NAN));
}

Tensor Inputs::poisoned_sums(Shape shape) {
  return filled(target_.accumulator(), shape, std::vector<float>(static_cast<size_t>(shape.numel()), NAN));
}

}  // namespace xf::bench
