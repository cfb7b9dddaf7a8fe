#include "nn/average.h"

#include <map>

#include "core/error.h"

namespace xf::nn {
namespace {

// sums += model. Parameters are f32; every save of a run has the same ones.
void add_model(const TensorMap& model, const std::string& folder,
               std::map<std::string, std::vector<double>>& sums) {
  for (const auto& [name, tensor] : model) {
    if (tensor.dtype() != DType::f32)
      fail(ErrorKind::data, "{}: '{}' is {}, but a parameter is f32; give saves that xformer-train wrote",
           folder, name, name_of(tensor.dtype()));
    const std::vector<float> values = tensor.to_vector<float>();
    const auto [found, is_new] = sums.try_emplace(name, values.size(), 0.0);
    auto& sum = found->second;
    if (sum.size() != values.size()) {
      fail(ErrorKind::data, "{}: '{}' has {} elements, {} in the saves before it; average one model only",
           folder, name, values.size(), sum.size());
    }
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(values[i]);
  }
  if (sums.size() != model.size()) {
    fail(ErrorKind::data, "{}: has other tensors than the saves before it; average one model only", folder);
  }
}

}  // namespace

Checkpoint average_models(const std::vector<std::string>& folders,
                          const std::function<void(const std::string&)>& warn) {
  Checkpoint average;
  std::vector<int64_t> averaged;
  std::map<std::string, std::vector<double>> sums;
  for (const std::string& folder : folders) {
    try {
      average = read_model(folder);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data) throw;
      warn(fmt::format("{}; the average leaves it out", error.what()));
      continue;
    }
    add_model(average.model, folder, sums);
    averaged.push_back(average.update);
  }
  if (averaged.empty())
    fail(ErrorKind::data, "none of {} is whole; nothing to average", fmt::join(folders, ", "));
  for (auto& [name, tensor] : average.model) {
    const auto& sum = sums.at(name);
    float* mean = tensor.data<float>();
    for (size_t i = 0; i < sum.size(); ++i)
      mean[i] = static_cast<float>(sum[i] / static_cast<double>(averaged.size()));
  }
  average.state = State();
  average.state.set("averaged", averaged);
  return average;
}

}  // namespace xf::nn
