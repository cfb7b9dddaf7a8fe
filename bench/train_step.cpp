#include "bench/train_step.h"

#include "bench/catalogue.h"
#include "bench/ceilings.h"
#include "bench/peers.h"
#include "nn/train/memory_plan.h"
#include "tests/support/batch.h"

namespace xf::bench {

namespace {

// Sentences of one length and random ids, as in bench/peers/torch_step.py.
PackedBatch random_batch(const ModelPreset& preset) {
  const tests::Ids lengths(static_cast<size_t>(preset.sentences), static_cast<int32_t>(preset.length));
  return tests::random_batch(lengths, lengths, static_cast<int32_t>(preset.config.source_vocabulary),
                             static_cast<int32_t>(preset.config.target_vocabulary), 1);
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

Row row_of(const ModelPreset& preset, const tests::Target& target) {
  Row row;
  row.fn = kTrainStep;
  row.shape = step_shape(preset);
  row.dtype = xf::name_of(target.dtype);
  row.device = xf::name_of(target.device);
  row.flops = step_flops(size_of_step(preset, target.dtype));
  row.tokens = static_cast<double>(preset.tokens());
  return row;
}

void warm_up(TrainStep& step) {
  for (int i = 0; i < TimingOptions{}.warm_ups; ++i) step.run();
}

}  // namespace

TrainStep::TrainStep(const ModelPreset& preset, const tests::Target& target)
    : store_(target.dtype), model_(preset.config, store_), batch_(random_batch(preset)) {
  store_.allocate(target.device, nn::ParameterStore::Gradients::yes);
  store_.initialise(1);
  model_.bind(target.device);
  const BatchSize capacity{batch_.source_tokens, batch_.target_tokens, batch_.sentences};
  const nn::MemoryPlan plan = nn::plan_memory(preset.config, capacity, target.dtype, {}, target.device.type);
  arena_ = std::make_unique<Arena>(target.device, plan.activations);
  nn::TrainerOptions options;
  options.capacity = capacity;
  trainer_ = std::make_unique<nn::Trainer>(model_, store_, *arena_, options);
}

void TrainStep::run() {
  trainer_->update(++update_, [this] { return batch_; });
}

double TrainStep::time() {
  const double start = now();
  run();
  return now() - start;
}

Row train_step_row(const ModelPreset& preset, const tests::Target& target, const TimingOptions& options,
                   double slowdown) {
  TrainStep step(preset, target);
  Row row = row_of(preset, target);
  row.samples = sample(options, [&] { step.run(); });
  for (double& seconds : row.samples.seconds) seconds *= 1 + slowdown;
  row.peak_bytes = peak_resident_bytes();
  return row;
}

Row train_step_beside_f32(const ModelPreset& preset, const tests::Target& target, int turns) {
  Row row = row_of(preset, target);
  reset_peak_resident();
  TrainStep ours(preset, target);
  warm_up(ours);
  row.peak_bytes = peak_resident_bytes();
  TrainStep in_f32(preset, {target.device, DType::f32});
  warm_up(in_f32);
  row.baseline = kOwnF32;
  row.set_turns(take_turns(
      turns, [&] { return ours.time(); }, [&] { return in_f32.time(); }));
  return row;
}

Row train_step_beside_floor(const ModelPreset& preset, const tests::Target& target, int turns,
                            double slowdown) {
  Row row = row_of(preset, target);
  reset_peak_resident();
  TrainStep ours(preset, target);
  warm_up(ours);
  row.peak_bytes = peak_resident_bytes();
  const StepSize size = size_of_step(preset, target.dtype);
  const auto floor = [&] {
    return step_floor(size, measure_machine(target.device, target.dtype, Counted::median)).total();
  };
  row.baseline = kStepFloor;
  row.set_turns(take_turns(
      turns, [&] { return (1 + slowdown) * ours.time(); }, floor));
  return row;
}

void train_step_beside_peer(const ModelPreset& preset, const tests::Target& target, int turns,
                            double slowdown, PeerProgram& peer, const Progress& progress, Row& row) {
  row = row_of(preset, target);
  const Tuned tuned = peer.tune(progress);
  progress("train_step " + preset.name + ", in turn with " + tuned.setting.name);
  reset_peak_resident();
  TrainStep ours(preset, target);
  warm_up(ours);
  row.peak_bytes = peak_resident_bytes();
  take_turns_with(
      peer, tuned, turns, [&] { return (1 + slowdown) * ours.time(); }, row);
  row.add_note(fmt::format("peak memory of the peer {:.0f} MB", peer.finish() / (1 << 20)));
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

std::string step_shape(const ModelPreset& preset) {
  return fmt::format("{} {}x{}", preset.name, preset.sentences, preset.length);
}

int step_samples(const ModelPreset& preset) { return preset.config.dim < 512 ? 15 : 7; }

}  // namespace xf::bench
