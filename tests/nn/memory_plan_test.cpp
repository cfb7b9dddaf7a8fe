// The plan against the arena of real updates.
#include "nn/train/memory_plan.h"

#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

constexpr BatchSize kLargest{.source_tokens = 750, .target_tokens = 600, .sentences = 75};

// As many sentences as fit, of 1..20 tokens.
PackedBatch random_batch_within(uint64_t seed) {
  PhiloxSequence random(seed, 1);
  Ids source, target;
  int64_t source_tokens = 0, target_tokens = 0;
  const auto most = static_cast<size_t>(1 + random.below(75));
  while (source.size() < most) {
    const auto s = static_cast<int32_t>(1 + random.below(20)), t = static_cast<int32_t>(1 + random.below(20));
    source_tokens += s;
    target_tokens += t;
    if (source_tokens > kLargest.source_tokens || target_tokens > kLargest.target_tokens) break;
    source.push_back(s);
    target.push_back(t);
  }
  return random_batch(source, target, 13, 17, seed);
}

PackedBatch largest_batch() { return random_batch(Ids(75, 10), Ids(75, 8), 13, 17, 3); }

TransformerConfig config_for(NormPlacement norm, int64_t max_length) {
  TransformerConfig config = tiny_config();
  config.norm = norm;
  config.max_length = max_length;
  return config;
}

}  // namespace

TEST_CASE("Memory plan: exactly the arena's peak for the largest batch", "[unit]") {
  const NormPlacement norm = GENERATE(NormPlacement::post, NormPlacement::pre);
  const int64_t max_length = GENERATE(60, 100);
  const DType dtype = GENERATE(DType::f32, DType::f64);
  const TransformerConfig config = config_for(norm, max_length);
  const MemoryPlan plan = plan_memory(config, kLargest, dtype);
  TinyModel model(dtype, config);
  Trainer trainer(model.transformer, model.store, model.arena, {});
  trainer.update(1, [] { return largest_batch(); });
  CHECK(plan.activations == model.arena.peak_bytes());
  CHECK(plan.parameters == model.store.values().bytes());
  CHECK(plan.gradients == model.store.gradients().bytes());
  CHECK(plan.moments == 2 * plan.gradients);
  CHECK(plan_memory(config, kLargest, dtype, kernels::SgdOptions{}).moments == plan.gradients);
  // As many moments as Adam has, and what its products are made in.
  CHECK(plan_memory(config, kLargest, dtype, MuonAndAdamOptions{}).moments > 2 * plan.gradients);
  CHECK(plan.total() == plan.parameters + plan.gradients + plan.moments + plan.activations);
  trainer.update(2, [] { return largest_batch(); });
  CHECK(plan.activations == model.arena.peak_bytes());
  evaluate(model.transformer, model.arena, largest_batch());
  CHECK(plan.activations == model.arena.peak_bytes());
}

TEST_CASE("Memory plan: no batch within the capacities makes the arena grow", "[unit]") {
  const NormPlacement norm = GENERATE(NormPlacement::post, NormPlacement::pre);
  const TransformerConfig config = config_for(norm, 100);
  const MemoryPlan plan = plan_memory(config, kLargest);
  TinyModel model(DType::f32, config, plan.activations * 5 / 4);
  Trainer trainer(model.transformer, model.store, model.arena, {});
  for (int64_t u = 1; u <= 30; ++u) {
    trainer.update(
        u, [&] { return u % 10 == 0 ? largest_batch() : random_batch_within(static_cast<uint64_t>(u)); });
    CHECK(model.arena.blocks() == 1);
    CHECK(model.arena.used_bytes() == 0);
  }
  CHECK(model.arena.peak_bytes() <= plan.activations * 5 / 4);
}
