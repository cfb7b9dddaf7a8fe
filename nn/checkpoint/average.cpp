#include "nn/checkpoint/average.h"

#include <utility>

#include "core/error.h"

namespace xf::nn {
namespace {

void check_parameters(const TensorMap& model, const std::string& where) {
  for (const auto& [name, tensor] : model) {
    if (tensor.dtype() == DType::f32) continue;
    fail(ErrorKind::data, "{}: '{}' is {}, but a parameter is f32; give checkpoints that xformer-train wrote",
         where, name, name_of(tensor.dtype()));
  }
}

void check_same_tensors(const TensorMap& model, const TensorMap& before, const std::string& where) {
  for (const auto& [name, tensor] : model) {
    const auto found = before.find(name);
    if (found == before.end()) {
      fail(ErrorKind::data, "{}: has '{}', which the previous model lacks; average checkpoints of one model",
           where, name);
    }
    if (found->second.shape() != tensor.shape()) {
      fail(ErrorKind::data, "{}: '{}' is {}, in the previous model {}; average checkpoints of one model",
           where, name, tensor.shape().to_string(), found->second.shape().to_string());
    }
  }
  for (const auto& [name, tensor] : before) {
    if (model.contains(name)) continue;
    fail(ErrorKind::data, "{}: lacks '{}', which the previous model has; average checkpoints of one model",
         where, name);
  }
}

}  // namespace

void Average::add(Checkpoint save, const std::string& where) {
  check_parameters(save.model, where);
  if (!empty()) check_same_tensors(save.model, last_.model, where);
  for (const auto& [name, tensor] : save.model) {
    const std::vector<float> values = tensor.to_vector<float>();
    auto& sum = sums_[name];
    sum.resize(values.size());
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(values[i]);
  }
  updates_.push_back(save.update);
  last_ = std::move(save);
}

Checkpoint Average::mean() const {
  XF_CHECK(!empty(), "average: no checkpoint was added");
  Checkpoint average = last_;
  for (auto& [name, tensor] : average.model) {
    const auto& sum = sums_.at(name);
    std::vector<float> mean(sum.size());
    for (size_t i = 0; i < sum.size(); ++i)
      mean[i] = static_cast<float>(sum[i] / static_cast<double>(updates_.size()));
    tensor = Tensor::from(mean, tensor.shape());
  }
  average.state = KeyValues();
  average.state.set("averaged", updates_);
  return average;
}

}  // namespace xf::nn
