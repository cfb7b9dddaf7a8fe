#include "nn/trainer.h"

#include <array>
#include <cmath>
#include <cstring>
#include <utility>

namespace xf::nn {

Trainer::Trainer(const Model& model, const Registry& registry, Arena& arena, const TrainerOptions& options)
    : model_(model),
      registry_(registry),
      arena_(arena),
      options_(options),
      adam_(registry, options.adam, options.clip_norm),
      loss_(Tensor::zeros({2}, accumulator_of(registry.dtype()), registry.device())),
      losses_(Tensor::zeros({kMostStarted, 2}, loss_.dtype(), registry.device())),
      norms_squared_(Tensor::zeros({kMostStarted}, DType::f64, registry.device())),
      counters_(Tensor::zeros({2, 2}, DType::i32, registry.device())),
      counters_upload_(registry.device(), counters_.bytes()) {
  if (Graph::replays(registry.device()) && options.capacity.target_tokens > 0) {
    fixed_ = std::make_unique<FixedBatch>(registry.device(), options.capacity);
  }
}

void Trainer::forward_backward(const PackedBatch& batch) {
  Tape tape(arena_);
  Step step{.tape = tape, .training = true, .seed = options_.seed};
  const Variable loss = model_.loss(step, batch, counters_, loss_);
  tape.backward(loss);
}

void Trainer::accumulate(int64_t update, const PackedBatch& batch, int64_t first_source,
                         int64_t first_target) {
  const auto u = static_cast<int32_t>(update);
  const std::array counters{u, static_cast<int32_t>(first_source), u, static_cast<int32_t>(first_target)};
  std::memcpy(counters_upload_.buffer(), counters.data(), sizeof counters);
  counters_upload_.send(counters_.raw());
  if (!fixed_) return forward_backward(batch.to(registry_.device()));
  fixed_->load(batch);
  accumulate_graph_.run(registry_.device(), [this] { forward_backward(fixed_->batch()); });
}

void Trainer::start(int64_t update, const std::function<PackedBatch()>& next_batch,
                    const PlateauState& plateau) {
  XF_CHECK(started_.size() < kMostStarted, "trainer: {} updates are started; ask for their results",
           started_.size());
  UpdateResult result;
  result.update = update;
  result.learning_rate = options_.schedule.at(update, plateau);
  loss_.fill_zero();
  for (int64_t i = 0; i < options_.micro_batches; ++i) {
    const PackedBatch batch = next_batch();
    accumulate(update, batch, result.source_tokens, result.loss.tokens);
    result.source_tokens += batch.source_tokens;
    result.loss.tokens += batch.target_tokens;
    result.sentences += batch.sentences;
  }
  adam_.prepare(update, result.learning_rate, result.loss.tokens);
  if (fixed_) {
    optimizer_graph_.run(registry_.device(), [this] { adam_.apply(); });
  } else {
    adam_.apply();
  }
  const auto slot = static_cast<int64_t>(started_.size());
  losses_.slice_rows(slot, slot + 1).copy_from(loss_.reshape({1, 2}));
  norms_squared_.slice_rows(slot, slot + 1).copy_from(adam_.norm_squared());
  started_.push_back(result);
}

std::vector<UpdateResult> Trainer::finished() {
  if (started_.empty()) return {};
  const auto count = static_cast<int64_t>(started_.size());
  const std::vector<double> losses = read_values(losses_.slice_rows(0, count));
  const std::vector<double> norms_squared = read_values(norms_squared_.slice_rows(0, count));
  for (size_t i = 0; i < started_.size(); ++i) {
    UpdateResult& result = started_[i];
    result.loss.smoothed = losses[2 * i];
    result.loss.plain = losses[2 * i + 1];
    result.gradient_norm = std::sqrt(norms_squared[i]) / static_cast<double>(result.loss.tokens);
  }
  return std::exchange(started_, {});
}

UpdateResult Trainer::update(int64_t update, const std::function<PackedBatch()>& next_batch) {
  start(update, next_batch);
  return finished().back();
}

std::optional<std::string> Trainer::first_bad_gradient(int64_t update, const PackedBatch& batch) {
  accumulate(update, batch, 0, 0);
  std::optional<std::string> found;
  for (const Parameter& parameter : registry_.parameters()) {
    Tensor sum = Tensor::zeros({1}, DType::f64, registry_.device());
    kernels::sum_of_squares(parameter.gradient.reshape({parameter.shape.numel()}), sum);
    if (!std::isfinite(sum.to_vector<double>()[0])) {
      found = parameter.name;
      break;
    }
  }
  registry_.gradients().fill_zero();
  return found;
}

}  // namespace xf::nn
