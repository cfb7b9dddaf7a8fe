#include "tools/tutorials/steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "tools/console/nearest_name.h"
#include "tools/explain/page.h"
#include "tools/tutorials/model/presets.h"
#include "tools/tutorials/model/transformer.h"
#include "tools/tutorials/step_table.h"

namespace xf::tools::explain {

namespace {

constexpr uint64_t kSeed = 1;  // of the initial values

Tensor source_ids() { return Tensor::from(std::vector<int32_t>{1, 1, 4, 0, 4, 3, 2, 9}, {2, 4}); }
Tensor target_ids() { return Tensor::from(std::vector<int32_t>{5, 2, 5, 0, 6, 7, 9, 8}, {2, 4}); }

// Keeps what the model shows, the first time that it is shown.
class Recorder : public nn::Trace {
 public:
  void at(const std::source_location& line) override { line_ = line; }
  void value(std::string_view block, std::string_view equation, std::string_view symbol,
             const Tensor& value) override {
    const std::string id(equation);
    seen_.try_emplace(key(block, symbol), StepValue{.name = {},
                                                    .equation = id,
                                                    .page = page_of(id),
                                                    .file = line_.file_name(),
                                                    .line = line_.line(),
                                                    .value = copy_of(value)});
  }
  const StepValue& find(const std::string& block, const std::string& symbol) const {
    const auto found = seen_.find(key(block, symbol));
    if (found == seen_.end()) fail(ErrorKind::failure, "no block '{}' showed '{}'", block, symbol);
    return found->second;
  }

 private:
  static std::string key(std::string_view block, std::string_view symbol) {
    return fmt::format("{} {}", block, symbol);
  }
  std::map<std::string, StepValue> seen_;
  std::source_location line_;
};

WalkStep made(const StepRow& row, const Recorder& seen) {
  WalkStep step{row.number, row.title, {}, row.text, {}};
  for (const ValueRow& wanted : row.values) {
    StepValue value = seen.find(wanted.block, wanted.symbol);
    value.name = wanted.name;
    if (wanted.in_flow) step.shapes.push_back(value.value.shape().to_string());
    step.values.push_back(std::move(value));
  }
  return step;
}

Walk walk(const std::map<std::string, Tensor>* parameters) {
  nn::ParameterStore store(DType::f64);
  const nn::quirks::Transformer model(nn::quirks::preset("tutorials/by-hand"), store);
  store.allocate(Device::cpu(), nn::ParameterStore::Gradients::yes);
  store.initialise(kSeed);
  Walk walk;
  for (const nn::Parameter& parameter : store.parameters()) {
    if (parameters) parameter.value.copy_from(parameters->at(parameter.name));
    walk.parameters[parameter.name] = copy_of(parameter.value);
  }
  Recorder recorder;
  Arena arena(Device::cpu());
  nn::Tape tape(arena, nn::Tape::Mode::inference);
  nn::ForwardContext context{.tape = tape, .trace = &recorder};
  model.forward(context, source_ids(), target_ids(), Tensor());
  for (const StepRow& row : step_table()) walk.steps.push_back(made(row, recorder));
  walk.model = fmt::format(
      "tutorials/by-hand, {} parameters at their initial values, in f64, without dropout", store.count());
  return walk;
}

}  // namespace

const StepValue& WalkStep::find(const std::string& name) const {
  const auto found = std::ranges::find(values, name, &StepValue::name);
  if (found == values.end()) fail(ErrorKind::failure, "step {} has no value '{}'", number, name);
  return *found;
}

Walk walk_by_hand() { return walk(nullptr); }
Walk walk_by_hand(const std::map<std::string, Tensor>& parameters) { return walk(&parameters); }

Walk only(Walk walk, const std::string& number) {
  std::vector<std::string> numbers;
  for (const WalkStep& step : walk.steps) numbers.push_back(step.number);
  if (std::ranges::find(numbers, number) == numbers.end()) {
    fail(ErrorKind::usage, "--step: no step is called '{}'{} (one of {})", number,
         did_you_mean(number, numbers), fmt::join(numbers, ", "));
  }
  std::erase_if(walk.steps, [&](const WalkStep& step) { return step.number != number; });
  return walk;
}

}  // namespace xf::tools::explain
