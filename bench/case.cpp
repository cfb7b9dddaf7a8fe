#include "bench/case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace xf::bench {

std::string Case::shape() const {
  return fmt::format("{}{}{}", fmt::join(dims, "x"), variant.empty() ? "" : " ", variant);
}

double error_of(const Case& c, const Call& call) {
  const Expected expected = call.reference();
  call.run();
  double largest = 0;
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    const Output& output = call.outputs[i];
    const double error = tests::max_relative_error(output.tensor, expected[i], output.floor);
    largest = std::max(largest, error / (output.factor * c.target.forward_tolerance()));
  }
  return largest;
}

}  // namespace xf::bench
