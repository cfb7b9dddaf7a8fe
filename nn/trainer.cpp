#include "nn/trainer.h"

#include <cmath>

namespace xf::nn {

namespace {

LossSums read(const Tensor& loss, int64_t tokens) {
  if (loss.device().type == DeviceType::meta) return {0, 0, tokens};
  if (loss.dtype() == DType::f64) {
    const auto sums = loss.to_vector<double>();
    return {sums[0], sums[1], tokens};
  }
  const auto sums = loss.to_vector<float>();
  return {sums[0], sums[1], tokens};
}

}  // namespace

Trainer::Trainer(const Transformer& model, const Registry& registry, Arena& arena,
                 const TrainerOptions& options)
    : model_(model),
      registry_(registry),
      arena_(arena),
      options_(options),
      adam_(registry, options.adam, options.clip_norm),
      loss_(Tensor::zeros({2}, accumulator_of(registry.dtype()), registry.device())),
      seed_(Tensor::zeros({2}, accumulator_of(registry.dtype()), registry.device())),
      counters_(Tensor::zeros({2, 2}, DType::i32, registry.device())) {
  if (Graph::replays(registry.device()) && options.capacity.target_tokens > 0) {
    fixed_ = std::make_unique<FixedBatch>(registry.device(), options.capacity);
  }
}

void Trainer::forward_backward(const PackedBatch& batch) {
  Tape tape(arena_);
  Step step{.tape = tape, .training = true, .seed = options_.seed};
  const Variable loss = model_.loss(step, batch, counters_, loss_);
  tape.backward(loss, seed_);
}

void Trainer::accumulate(int64_t update, const PackedBatch& batch, int64_t first_source,
                         int64_t first_target) {
  const auto u = static_cast<int32_t>(update);
  counters_.copy_from(Tensor::from<int32_t>(
      {u, static_cast<int32_t>(first_source), u, static_cast<int32_t>(first_target)}, {2, 2}));
  if (!fixed_) return forward_backward(batch.to(registry_.device()));
  fixed_->load(batch);
  accumulate_graph_.run(registry_.device(), [this] { forward_backward(fixed_->batch()); });
}

UpdateResult Trainer::update(int64_t update, const std::function<PackedBatch()>& next_batch) {
  UpdateResult result;
  loss_.fill_zero();
  for (int64_t i = 0; i < options_.micro_batches; ++i) {
    const PackedBatch batch = next_batch();
    accumulate(update, batch, result.source_tokens, result.loss.tokens);
    result.source_tokens += batch.source_tokens;
    result.loss.tokens += batch.target_tokens;
    result.sentences += batch.sentences;
  }
  result.learning_rate = options_.schedule.at(update);
  adam_.prepare(update, result.learning_rate, result.loss.tokens);
  if (fixed_) {
    optimizer_graph_.run(registry_.device(), [this] { adam_.apply(); });
  } else {
    adam_.apply();
  }
  result.loss = read(loss_, result.loss.tokens);
  result.gradient_norm = adam_.gradient_norm();
  return result;
}

LossSums Trainer::evaluate(const PackedBatch& batch) {
  Tape tape(arena_, Tape::Mode::inference);
  Step step{.tape = tape};
  loss_.fill_zero();
  model_.loss(step, batch.to(registry_.device()), Tensor(), loss_);
  return read(loss_, batch.target_tokens);
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
