// Frozen parameters, and learning rates by name, against models of which the rest is left out, or
// learns at one rate.
#include "nn/train/learning_rates.h"

#include "nn/train/memory_plan.h"
#include "nn/train/optimizer.h"
#include "tests/data/errors.h"
#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"
#include "tests/support/compare.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

const std::vector<std::string> kAll = {"table", "in.weight", "in.bias", "out.weight", "out.bias"};

// Of these parameters, with the same values and gradients whichever others there are.
struct Parameters {
  ParameterStore store;
  Parameters(const std::vector<std::string>& names, const std::vector<RateRule>& rates,
             DType dtype = DType::f32)
      : store(dtype) {
    for (const std::string& name : names) {
      const bool is_vector = name.ends_with("bias");
      const Parameter& parameter = store.add(name, is_vector ? Shape{5} : Shape{6, 5}, Init::zeros());
      if (name.ends_with("weight")) store.mark_matmul_weight(parameter, 2);
    }
    set_rates(store, rates);
    store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
    fill(0, &Parameter::master);
    store.round_masters();
  }
  void fill(uint64_t seed, Tensor Parameter::*field) const {
    for (const Parameter& parameter : store.parameters())
      (parameter.*field)
          .copy_from(random_tensor(parameter.shape, store.masters().dtype(),
                                   1000 * seed + std::hash<std::string>()(parameter.name) % 1000, -3, 3));
  }
  Tensor master(const std::string& name) const { return store.find(name).master; }
};

struct Trained : Parameters {
  std::unique_ptr<Optimizer> optimizer;
  Trained(const std::vector<std::string>& names, const std::vector<RateRule>& rates,
          const OptimizerOptions& options, double rate = 0.01, DType dtype = DType::f32)
      : Parameters(names, rates, dtype), optimizer(make_optimizer(store, options, 1)) {
    for (int64_t t = 1; t <= 4; ++t) {
      fill(static_cast<uint64_t>(t), &Parameter::gradient);
      optimizer->update(t, rate, 7);
    }
  }
};

const std::vector<OptimizerOptions> kOptimizers = {
    kernels::AdamOptions{.weight_decay = 0.1f}, kernels::SgdOptions{.momentum = 0.9f, .weight_decay = 0.1f},
    MuonAndAdamOptions{{.weight_decay = 0.1f}, {.weight_decay = 0.1f}}};

}  // namespace

TEST_CASE("Learning rates: what is frozen keeps its bits, all else is as if it were not there", "[unit]") {
  for (const OptimizerOptions& options : kOptimizers) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      const std::vector<RateRule> rules = {{"^table", 0, "freeze"}, {"in", 0, "freeze"}};
      const Trained some(kAll, rules, options, 0.01, dtype);
      const Trained alone({"out.weight", "out.bias"}, {}, options, 0.01, dtype);
      const Parameters before(kAll, {}, dtype);
      for (const char* name : {"table", "in.weight", "in.bias"})
        CHECK(same_bits(some.master(name), before.master(name)));
      for (const char* name : {"out.weight", "out.bias"}) {
        CHECK(same_bits(some.master(name), alone.master(name)));
        CHECK_FALSE(same_bits(some.master(name), before.master(name)));
      }
      CHECK(as_doubles(some.optimizer->norm_squared()) == as_doubles(alone.optimizer->norm_squared()));
      CHECK(some.optimizer->bytes() == alone.optimizer->bytes());
      for (const auto& [name, moment] : alone.optimizer->whole_state())
        CHECK(same_bits(some.optimizer->whole_state().at(name), moment));
      for (const double value : as_doubles(some.store.gradients())) CHECK(value == 0);
    }
  }
}

TEST_CASE("Learning rates: a parameter with its own moves as one of a model that learns at it", "[unit]") {
  for (const OptimizerOptions& options : kOptimizers) {
    const Trained some(kAll, {{"out", 0.25f, ""}, {"bias", 2, ""}}, options);
    const Trained usual(kAll, {}, options), quarter(kAll, {}, options, 0.0025),
        twice(kAll, {}, options, 0.02);
    CHECK(same_bits(some.master("table"), usual.master("table")));
    CHECK(same_bits(some.master("in.weight"), usual.master("in.weight")));
    CHECK(same_bits(some.master("in.bias"), twice.master("in.bias")));
    for (const char* name : {"out.weight", "out.bias"})  // of several rules the first
      CHECK(same_bits(some.master(name), quarter.master(name)));
  }
}

TEST_CASE("Learning rates: frozen parameters need no moments, and the plan knows it", "[unit]") {
  const std::vector<RateRule> rules = {{"^encoder", 0, "freeze"}};
  const BatchSize size{.source_tokens = 20, .target_tokens = 20, .sentences = 4};
  const TinyModel model(DType::f32, tiny_config(), Arena::kDefaultBlock, Device::cpu(), rules);
  const MemoryPlan plan =
      plan_memory(tiny_config(), size, DType::f32, kernels::AdamOptions{}, DeviceType::cpu, rules);
  CHECK(plan.moments == Adam(model.store, {}, 0).bytes());
  CHECK(plan.moments < plan_memory(tiny_config(), size).moments);
}

TEST_CASE("Learning rates: a rule that does nothing is refused, with the names that there are", "[unit]") {
  const auto refusal = [](const std::vector<RateRule>& rules) {
    return error_of([&] { Parameters(kAll, rules); });
  };
  CHECK(refusal({{"gamma", 0, "freeze"}}) ==
        "2: freeze: 'gamma' matches no parameter; "
        "there are table, in.weight, in.bias, out.weight, out.bias, and as many for each further layer");
  CHECK(refusal({{"[", 0, "freeze"}}) ==
        "2: freeze: '[' is not a regular expression; give one such as '^encoder\\.'");
  CHECK(refusal({{".", 0, "freeze"}}) ==
        "2: freeze: every parameter is frozen, so that nothing would learn; freeze fewer");
  CHECK(
      refusal({{"in", 0, "freeze"}, {"in.bias", 0.5f, "lr-multiplier"}}) ==
      "2: lr-multiplier: every parameter that 'in.bias' matches has its rate from an earlier option; leave it out");
}
