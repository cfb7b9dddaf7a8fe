// A tensor as the matrices that one prints: one for each index of its leading axes.
#pragma once

#include <string>
#include <vector>

#include "core/tensor.h"

namespace xf::tools::explain {

struct Matrix {
  std::string index;  // "[1, 0]"; empty where there is only one
  std::vector<std::vector<std::string>> rows;
};

// tensor: f64 or i32. A number takes at most seven characters.
std::vector<Matrix> matrices(const Tensor& tensor);

}  // namespace xf::tools::explain
