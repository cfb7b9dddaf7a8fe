#include "nn/train/memory_plan.h"

#include "nn/train/trainer.h"

namespace xf::nn {

namespace {

PackedBatch meta_batch(const BatchSize& size, Device meta) {
  const auto ids = [&](int64_t n) { return Tensor::empty({n}, DType::i32, meta); };
  PackedBatch batch;
  batch.source_ids = batch.source_positions = batch.source_order = ids(size.source_tokens);
  batch.target_in = batch.target_out = batch.target_positions = batch.target_order = ids(size.target_tokens);
  batch.source_offsets = batch.target_offsets = ids(size.sentences + 1);
  batch.sentences = size.sentences;
  batch.source_tokens = size.source_tokens;
  batch.target_tokens = size.target_tokens;
  return batch;
}

}  // namespace

MemoryPlan plan_memory(const TransformerConfig& config, const BatchSize& largest, DType dtype,
                       const OptimizerOptions& optimizer, DeviceType device,
                       const std::vector<RateRule>& rates) {
  const Device meta = Device::meta(device);
  ParameterStore store(dtype);
  const std::unique_ptr<Model> model = make_model(config, store);
  set_rates(store, rates);
  store.allocate(meta, ParameterStore::Gradients::yes);
  const int64_t bytes = store.masters().bytes();
  const int64_t rounded = dtype == DType::bf16 ? store.values().bytes() : 0;
  MemoryPlan plan{.parameters = bytes + rounded, .gradients = bytes};
  plan.moments = make_optimizer(store, optimizer, 0)->bytes();
  if (!config.supports(Feature::memory_plan)) return plan;
  model->bind(meta);
  Arena arena(meta);
  Trainer trainer(*model, store, arena, {});
  const PackedBatch batch = meta_batch(largest, meta);
  trainer.update(1, [&] { return batch; });
  plan.activations = arena.peak_bytes();
  return plan;
}

}  // namespace xf::nn
