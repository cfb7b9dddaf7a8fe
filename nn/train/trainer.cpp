#include "nn/train/trainer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "nn/train/bad_value.h"

namespace xf::nn {

namespace {

std::vector<PackedBatch> parts(const PackedBatch& batch, const BatchSize& largest) {
  return largest.sentences > 0 ? cut(batch, largest) : std::vector{batch};
}

}  // namespace

Trainer::Trainer(const Model& model, const ParameterStore& store, Arena& arena, const TrainerOptions& options)
    : model_(model),
      store_(store),
      arena_(arena),
      options_(options),
      ranks_(options.ranks ? *options.ranks : Collective::alone()),
      optimizer_(make_optimizer(store, options.optimizer, options.clip_norm,
                                options.shard_optimizer ? ranks_ : Collective::alone())),
      loss_(Tensor::zeros({2}, accumulator_of(store.dtype()), store.device())),
      losses_(Tensor::zeros({kMostStarted, 2}, loss_.dtype(), store.device())),
      norms_squared_(Tensor::zeros({kMostStarted}, DType::f64, store.device())),
      counters_(Tensor::zeros({2, 2}, DType::i32, store.device())),
      counters_upload_(store.device(), counters_.bytes()) {
  ranks_.init_device(store.device());
  if (options.smoothing > 0) smoothing_ = std::make_unique<Smoothing>(store, options.smoothing, ranks_);
  if (!Graph::replays(store.device()) || options.capacity.target_tokens == 0) return;
  before_method_.batch = std::make_unique<GraphBatch>(store.device(), options.capacity);
  if (!options.method.loss) return;
  by_method_.batch =
      std::make_unique<GraphBatch>(store.device(), options.capacity, options.method.readings());
}

void Trainer::forward_backward(int64_t update, const PackedBatch& batch, kernels::Accumulate gradients) {
  Tape tape(arena_);
  ForwardContext context{.tape = tape,
                         .training = true,
                         .seed = options_.seed,
                         .loss = options_.method.loss_at(update),
                         .weight_gradient_mode = gradients};
  const Variable loss = model_.loss(context, batch, counters_, loss_);
  tape.backward(loss);
}

void Trainer::move_weights() {
  sum_over_ranks();
  optimizer_->apply();
  if (smoothing_) smoothing_->apply();
}

// Which elements are dropped depends on a token's place in the update: on how many tokens come
// before it.
void Trainer::count_from(const BatchPlace& place) {
  const auto number = static_cast<int32_t>(place.update);
  const std::array counters{number, static_cast<int32_t>(place.source_tokens), number,
                            static_cast<int32_t>(place.target_tokens)};
  std::memcpy(counters_upload_.buffer(), counters.data(), sizeof counters);
  counters_upload_.send(counters_.raw());
}

PackedBatch Trainer::as_read(const PackedBatch& batch, const BatchPlace& place) const {
  const int64_t readings = options_.method.readings_at(place.update);
  return drop_words(readings > 1 ? batch.repeated(readings) : batch, options_.word_dropout, options_.seed,
                    place);
}

void Trainer::accumulate(int64_t update, const PackedBatch& batch, kernels::Accumulate gradients) {
  Replay& replay = options_.method.has_begun(update) ? by_method_ : before_method_;
  if (!replay.batch) return forward_backward(update, batch.to(store_.device()), gradients);
  replay.batch->load(batch);
  (gradients == kernels::Accumulate::no ? replay.first_part : replay.later_part).run(store_.device(), [&] {
    forward_backward(update, replay.batch->batch(), gradients);
  });
}

// This rank's batches of the update, which are every so manieth of it; `result` counts them all.
std::vector<Trainer::PlacedBatch> Trainer::take_share(UpdateResult& result,
                                                      const std::function<PackedBatch()>& next_batch,
                                                      const std::function<BatchSize()>& skip_batch) const {
  std::vector<PlacedBatch> share;
  for (int64_t i = 0; i < options_.micro_batches * ranks_.size(); ++i) {
    BatchSize size;
    if (i % ranks_.size() != ranks_.rank() && skip_batch) {
      size = skip_batch();
    } else {
      const PackedBatch batch = next_batch();
      size = {batch.source_tokens, batch.target_tokens, batch.sentences};
      if (i % ranks_.size() == ranks_.rank())
        share.push_back({batch, result.source_tokens, result.loss.tokens});
    }
    result.source_tokens += size.source_tokens;
    result.loss.tokens += size.target_tokens;
    result.sentences += size.sentences;
  }
  return share;
}

void Trainer::accumulate_all(int64_t update, const std::vector<PlacedBatch>& batches) {
  loss_.fill_zero();
  const int64_t readings = options_.method.readings_at(update);
  auto gradients = kernels::Accumulate::no;
  for (const auto& [batch, source_before, target_before] : batches) {
    int64_t source_tokens = source_before, target_tokens = target_before;
    for (const PackedBatch& part : parts(batch, options_.capacity)) {
      const BatchPlace place{update, readings * source_tokens, readings * target_tokens};
      count_from(place);
      accumulate(update, as_read(part, place), gradients);
      gradients = kernels::Accumulate::yes;
      source_tokens += part.source_tokens;
      target_tokens += part.target_tokens;
    }
  }
}

// Half of the largest part that there was.
void Trainer::lower_capacity(const std::vector<PlacedBatch>& batches, const std::string& cause) {
  BatchSize largest;
  for (const PlacedBatch& placed : batches) {
    for (const PackedBatch& part : parts(placed.batch, options_.capacity)) {
      largest.source_tokens = std::max(largest.source_tokens, part.source_tokens);
      largest.target_tokens = std::max(largest.target_tokens, part.target_tokens);
      largest.sentences = std::max(largest.sentences, part.sentences);
    }
  }
  if (largest.sentences <= 1) {
    fail(
        ErrorKind::resources,
        "{}; one sentence of {} and {} tokens does not fit: lower max-length, transformer-dim-ffn or dim-emb",
        cause, largest.source_tokens, largest.target_tokens);
  }
  options_.capacity = {largest.source_tokens / 2, largest.target_tokens / 2, largest.sentences / 2};
}

void Trainer::accumulate_within_memory(int64_t update, const std::vector<PlacedBatch>& batches) {
  for (;;) {
    try {
      return accumulate_all(update, batches);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::resources || before_method_.batch) throw;
      lower_capacity(batches, error.what());
    }
    store_.gradients().fill_zero();
  }
}

// The loss goes first: where a rank has failed, the others learn of it before they send their
// gradients.
void Trainer::sum_over_ranks() {
  const Tensor gradients = store_.trained(store_.gradients());
  ranks_.sum(loss_);
  options_.shard_optimizer ? ranks_.reduce_scatter(gradients) : ranks_.sum(gradients);
}

void Trainer::start(int64_t update, const std::function<PackedBatch()>& next_batch,
                    const PlateauState& plateau, double rate_scale,
                    const std::function<BatchSize()>& skip_batch) {
  XF_CHECK(started_.size() < kMostStarted, "trainer: {} updates are started; ask for their results",
           started_.size());
  UpdateResult result;
  result.update = update;
  accumulate_within_memory(update, take_share(result, next_batch, skip_batch));
  result.learning_rate = options_.schedule.at(update, plateau) * rate_scale;
  optimizer_->prepare(update - optimizer_began_, result.learning_rate,
                      options_.method.readings_at(update) * result.loss.tokens);
  if (smoothing_) smoothing_->prepare(update);
  if (before_method_.batch) {
    optimizer_graph_.run(store_.device(), [this] { move_weights(); });
  } else {
    move_weights();
  }
  const auto slot = static_cast<int64_t>(started_.size());
  losses_.slice_rows(slot, slot + 1).copy_from(loss_.reshape({1, 2}));
  norms_squared_.slice_rows(slot, slot + 1).copy_from(optimizer_->norm_squared());
  started_.push_back(result);
}

std::vector<UpdateResult> Trainer::finished() {
  if (started_.empty()) return {};
  const auto count = static_cast<int64_t>(started_.size());
  const std::vector<double> losses = read_values(losses_.slice_rows(0, count));
  const std::vector<double> norms_squared = read_values(norms_squared_.slice_rows(0, count));
  for (size_t i = 0; i < started_.size(); ++i) {
    UpdateResult& result = started_[i];
    const auto mean = 1 / static_cast<double>(options_.method.readings_at(result.update));
    result.loss.smoothed = mean * losses[2 * i];
    result.loss.plain = mean * losses[2 * i + 1];
    result.gradient_norm = mean * std::sqrt(norms_squared[i]) / static_cast<double>(result.loss.tokens);
  }
  return std::exchange(started_, {});
}

UpdateResult Trainer::update(int64_t update, const std::function<PackedBatch()>& next_batch) {
  start(update, next_batch);
  return finished().back();
}

std::vector<std::string> Trainer::launches() const {
  std::vector<std::string> names = by_method_.first_part.launches();
  if (names.empty()) names = before_method_.first_part.launches();
  for (std::string& name : optimizer_graph_.launches()) names.push_back(std::move(name));
  return names;
}

std::optional<std::string> Trainer::first_bad_value(int64_t update, const PackedBatch& batch) {
  count_from({update});
  std::string own;
  for (const PackedBatch& part : parts(batch, options_.capacity)) {
    own = nn::first_bad_value(model_, store_, arena_, part, counters_, options_.seed).value_or("");
    if (!own.empty()) break;
  }
  const std::vector<std::string> found = ranks_.gather(own);
  for (int r = 0; r < ranks_.size(); ++r) {
    const std::string& text = found[static_cast<size_t>(r)];
    if (!text.empty()) return ranks_.size() == 1 ? text : fmt::format("{}, of {}", text, ranks_.name_of(r));
  }
  return {};
}

}  // namespace xf::nn
