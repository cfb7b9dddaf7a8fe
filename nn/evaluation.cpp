#include "nn/evaluation.h"

#include "kernels/elementwise.h"

namespace xf::nn {

LossSums evaluate(const Model& model, Arena& arena, const PackedBatch& batch) {
  Tape tape(arena, Tape::Mode::inference);
  ForwardContext context{.tape = tape};
  const Tensor loss = context.allocate({2}, accumulator_of(model.dtype()));
  kernels::fill_zero(loss);
  model.loss(context, batch.to(arena.device()), Tensor(), loss);
  const std::vector<double> sums = read_values(loss);
  return {sums[0], sums[1], batch.target_tokens};
}

std::vector<double> read_values(const Tensor& tensor) {
  const auto widened = [](const auto& values) {
    std::vector<double> wide;
    wide.reserve(values.size());
    for (const auto value : values) wide.push_back(static_cast<float>(value));
    return wide;
  };
  if (tensor.device().type == DeviceType::meta)
    return std::vector<double>(static_cast<size_t>(tensor.numel()));
  if (tensor.dtype() == DType::f64) return tensor.to_vector<double>();
  if (tensor.dtype() == DType::bf16) return widened(tensor.to_vector<bf16>());
  return widened(tensor.to_vector<float>());
}

}  // namespace xf::nn
