#include "bench/train_step.h"

#include <algorithm>
#include <numeric>

#include "bench/catalogue.h"
#include "nn/memory_plan.h"

namespace xf::bench {

namespace {

std::vector<int32_t> random_ids(int64_t n, int64_t vocabulary, uint64_t stream) {
  constexpr uint32_t kFirstWord = 4;
  PhiloxSequence random(1, stream);
  std::vector<int32_t> ids(static_cast<size_t>(n));
  for (int32_t& id : ids) {
    id = static_cast<int32_t>(kFirstWord + random.below(static_cast<uint32_t>(vocabulary) - kFirstWord));
  }
  return ids;
}

// Token numbers by id, stably (core/packed_batch.h).
Tensor order_of(const std::vector<int32_t>& ids) {
  std::vector<int32_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return ids[static_cast<size_t>(a)] < ids[static_cast<size_t>(b)];
  });
  return Tensor::from(order);
}

PackedBatch random_batch(const ModelPreset& preset) {
  const int64_t tokens = preset.tokens();
  std::vector<int32_t> positions, offsets{0};
  for (int64_t sentence = 0; sentence < preset.sentences; ++sentence) {
    for (int64_t i = 0; i < preset.length; ++i) positions.push_back(static_cast<int32_t>(i));
    offsets.push_back(static_cast<int32_t>(positions.size()));
  }
  const auto source = random_ids(tokens, preset.config.source_vocabulary, 0);
  const auto target = random_ids(tokens, preset.config.target_vocabulary, 1);
  PackedBatch batch;
  batch.source_ids = Tensor::from(source);
  batch.target_in = Tensor::from(target);
  batch.target_out = Tensor::from(random_ids(tokens, preset.config.target_vocabulary, 2));
  batch.source_order = order_of(source);
  batch.target_order = order_of(target);
  batch.source_positions = batch.target_positions = Tensor::from(positions);
  batch.source_offsets = batch.target_offsets = Tensor::from(offsets);
  batch.sentences = preset.sentences;
  batch.source_tokens = batch.target_tokens = tokens;
  batch.longest_source = batch.longest_target = preset.length;
  return batch;
}

StepSize size_of_step(const ModelPreset& preset, DType dtype) {
  const auto length = static_cast<double>(preset.length);
  return {.dim = preset.config.dim,
          .feed_forward = preset.config.feed_forward,
          .layers = preset.config.encoder_layers,
          .target_vocabulary = preset.config.target_vocabulary,
          .parameters = preset.parameters(),
          .source_tokens = preset.tokens(),
          .target_tokens = preset.tokens(),
          .source_length = length,
          .target_length = length,
          .element_bytes = static_cast<double>(size_of(dtype))};
}

DType dtype_named(const std::string& name) {
  return name == xf::name_of(DType::bf16) ? DType::bf16 : DType::f32;
}

}  // namespace

TrainStep::TrainStep(const ModelPreset& preset, const tests::Target& target)
    : registry_(target.dtype),
      model_(preset.config, registry_),
      batch_(random_batch(preset)),
      size_(size_of_step(preset, target.dtype)) {
  registry_.allocate(target.device, nn::Registry::Gradients::yes);
  registry_.initialise(1);
  model_.bind(target.device);
  const BatchSize capacity{batch_.source_tokens, batch_.target_tokens, batch_.sentences};
  const nn::MemoryPlan plan = nn::plan_memory(preset.config, capacity, target.dtype);
  arena_ = std::make_unique<Arena>(target.device, plan.activations);
  nn::TrainerOptions options;
  options.capacity = capacity;
  trainer_ = std::make_unique<nn::Trainer>(model_, registry_, *arena_, options);
}

void TrainStep::run() {
  trainer_->update(++update_, [this] { return batch_; });
}

Row train_step_row(const ModelPreset& preset, const tests::Target& target, const SamplerOptions& options,
                   double planted) {
  TrainStep step(preset, target);
  Row row;
  row.fn = kTrainStep;
  row.shape = fmt::format("{} {}x{}", preset.name, preset.sentences, preset.length);
  row.dtype = xf::name_of(target.dtype);
  row.device = xf::name_of(target.device);
  row.samples = sample(options, [&] { step.run(); });
  for (double& seconds : row.samples.seconds) seconds *= 1 + planted;
  row.flops = step_flops(step.size());
  row.tokens = static_cast<double>(preset.tokens());
  row.peak_bytes = peak_resident_bytes();
  return row;
}

void set_step_floor(Row& row, const ModelPreset& preset, const Machine& machine) {
  const StepSize size = size_of_step(preset, dtype_named(row.dtype));
  const StepFloor floor = step_floor(size, machine);
  row.floor_s = floor.total();
  row.bytes = step_bytes(size);
  row.parts = {{"products", floor.gemm},
               {"logits", floor.logits},
               {"attention", floor.attention},
               {"norms", floor.norms},
               {"cross-entropy", floor.cross_entropy},
               {"Adam", floor.adam},
               {"rest", floor.rest}};
}

int step_samples(const ModelPreset& preset) { return preset.config.dim < 512 ? 15 : 7; }

}  // namespace xf::bench
