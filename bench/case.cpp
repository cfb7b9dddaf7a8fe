#include "bench/case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"

namespace xf::bench {

std::string Case::shape() const {
  return fmt::format("{}{}{}", fmt::join(dims, "x"), variant.empty() ? "" : " ", variant);
}

const Tensor& Operands::tensor(std::string_view name) const {
  for (const auto& [key, tensor] : tensors) {
    if (key == name) return tensor;
  }
  fail(ErrorKind::failure, "operands: there is no {}", name);
}

Deviation deviation(const Case& c, const Output& output, const std::vector<double>& expected) {
  const double relative = tests::max_relative_error(output.tensor, expected, output.floor);
  return {relative, output.factor * c.target.forward_tolerance()};
}

Deviation deviation_of(const Case& c, const Call& call) {
  const Expected expected = call.reference();
  call.run();
  Deviation furthest;
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    const Deviation here = deviation(c, call.outputs[i], expected[i]);
    if (i == 0 || here.of_allowed() > furthest.of_allowed()) furthest = here;
  }
  return furthest;
}

}  // namespace xf::bench
