#include "tools/pretrained_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "tools/progress.h"

namespace xf::tools {

std::vector<std::string> begin_with(const nn::TensorMap& from, const nn::Registry& registry,
                                    const std::string& where) {
  int64_t taken = 0;
  bool any_matrix = false;
  std::vector<std::string> others;
  std::set<std::string> left;
  for (const auto& [name, value] : from) left.insert(name);
  for (const nn::Parameter& parameter : registry.parameters()) {
    const auto found = from.find(parameter.name);
    left.erase(parameter.name);
    const bool there = found != from.end() && found->second.dtype() == DType::f32;
    const std::string shape = there ? found->second.shape().to_string() : "";
    if (there && found->second.shape() == parameter.shape) {
      registry.set(parameter, found->second);
      ++taken;
      any_matrix = any_matrix || parameter.shape.rank() == 2;
    } else if (there && found->second.rank() == parameter.shape.rank() &&
               found->second.numel() / found->second.dim(0) == parameter.shape.numel() / parameter.shape[0]) {
      const int64_t rows = std::min(found->second.dim(0), parameter.shape[0]);
      registry.set(parameter, found->second.slice_rows(0, rows));
      others.push_back(
          fmt::format("reshaped: {} {} from {}", parameter.name, parameter.shape.to_string(), shape));
    } else {
      others.push_back(fmt::format("new: {} {}{}", parameter.name, parameter.shape.to_string(),
                                   there ? ", which is " + shape + " there" : ""));
    }
  }
  if (!any_matrix)
    fail(
        ErrorKind::usage,
        "pretrained-model: {} has no matrix of this model's shapes; look at both with xformer-export inspect",
        where);
  for (const std::string& name : left) others.push_back("left out: " + name);
  others.insert(others.begin(), fmt::format("begins with {} of {}", counted(taken, "tensor"), where));
  return others;
}

}  // namespace xf::tools
