#include "nn/train/bad_value.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "nn/evaluation.h"

namespace xf::nn {

namespace {

bool is_finite(const Tensor& tensor) {
  const std::vector<double> values = read_values(tensor);
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

// Remembers the first value that is not finite.
class BadValue final : public Trace {
 public:
  void value(std::string_view block, std::string_view equation, std::string_view symbol,
             const Tensor& value) override {
    if (!found && !is_finite(value)) found = fmt::format("the output {} ({}) of {}", symbol, equation, block);
  }
  std::optional<std::string> found;
};

}  // namespace

std::optional<std::string> first_bad_value(const Model& model, const ParameterStore& store, Arena& arena,
                                           const PackedBatch& batch, const Tensor& counters, uint64_t seed) {
  for (const Parameter& parameter : store.parameters()) {
    if (!is_finite(parameter.master.defined() ? parameter.master : parameter.value))
      return "the weights " + parameter.name;
  }
  BadValue forward;
  {
    Tape tape(arena);
    ForwardContext context{.tape = tape, .training = true, .seed = seed, .trace = &forward};
    const Tensor loss = Tensor::zeros({2}, accumulator_of(model.dtype()), store.device());
    tape.backward(model.loss(context, batch.to(store.device()), counters, loss));
  }
  std::optional<std::string> found = forward.found;
  for (auto parameter = store.parameters().rbegin(); !found && parameter != store.parameters().rend();
       ++parameter) {
    if (!is_finite(parameter->gradient)) found = "the gradient of " + parameter->name;
  }
  store.gradients().fill_zero();
  return found;
}

}  // namespace xf::nn
