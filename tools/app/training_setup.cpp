#include "tools/app/training_setup.h"
#include "tools/config/training_options.h"
#include "tools/setup/compute_device.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/error.h"
#include "data/both_directions.h"
#include "data/bpe_dropout.h"
#include "data/vocabularies.h"
#include "nn/model_variant.h"
#include "tools/setup/model_config.h"
#include "tools/setup/training_method.h"

namespace xf::tools {

namespace {

constexpr int64_t kMostWords = 100'000'000;  // of a batch, as --mini-batch-words

// Bytes, with room over the plan: batches of other shapes than the largest leave gaps between their
// tensors.
int64_t arena_bytes(const nn::MemoryPlan& plan) {
  return static_cast<int64_t>(1.25 * static_cast<double>(plan.activations));
}

BatchSize size_of(const data::BatchCapacity& capacity) {
  return {capacity.source_tokens, capacity.target_tokens, capacity.sentences};
}

int64_t activation_mb(const TrainingOptions& options, const nn::TransformerConfig& model,
                      const BatchSize& size, DType dtype, DeviceType device) {
  return arena_bytes(nn::plan_memory(model, size.repeated(most_readings(options)), dtype, {}, device)) >> 20;
}

// --mini-batch-fit: as many words as --workspace holds, to a twentieth.
data::BatchCapacity fitting_capacity(const TrainingOptions& options, const nn::TransformerConfig& model,
                                     DType dtype, DeviceType device) {
  const int64_t workspace = options.numerics.workspace;
  if (workspace == 0)
    fail(ErrorKind::usage, "mini-batch-fit: fits batches to --workspace MB; give that option");
  if (options.batches.mini_batch > 0)
    fail(ErrorKind::usage, "mini-batch-fit and mini-batch: choose one of them");
  if (!model.supports(nn::Feature::memory_plan))
    fail(ErrorKind::usage,
         "mini-batch-fit: the memory of a model with {} is not planned; give mini-batch-words",
         model.variant->name());
  const auto needs = [&](int64_t words) {
    return activation_mb(options, model, size_of(batch_capacity(model.type, words)), dtype, device);
  };
  const auto fits = [&](int64_t words) { return needs(words) <= workspace; };
  int64_t words = model.max_length;
  if (!fits(words)) {
    fail(ErrorKind::usage,
         "workspace: a batch of max-length words needs {} MB; raise workspace or lower max-length",
         needs(words) + 1);
  }
  int64_t too_many = 2 * words;
  while (too_many <= kMostWords && fits(too_many)) too_many *= 2;
  words = too_many / 2;
  while (too_many - words > std::max<int64_t>(words / 20, 1)) {
    const int64_t middle = (words + too_many) / 2;
    (fits(middle) ? words : too_many) = middle;
  }
  return batch_capacity(model.type, std::min(words, kMostWords));
}

// The largest batch that is computed at once: halved until its activations fit in --workspace, but
// never less than one sentence of the longest kind.
BatchSize computed_at_once(const TrainingOptions& options, const nn::TransformerConfig& model, BatchSize size,
                           DType dtype, DeviceType device) {
  const int64_t workspace = options.numerics.workspace;
  const BatchSize sentence{model.max_length, model.max_length, 1};
  const auto needs = [&](const BatchSize& batch) {
    return activation_mb(options, model, batch, dtype, device);
  };
  while (workspace > 0 && needs(size) > workspace) {
    if (size.target_tokens <= sentence.target_tokens || size.sentences <= 1) {
      fail(ErrorKind::usage,
           "workspace: one sentence of max-length needs {} MB; raise workspace or lower max-length",
           needs(sentence) + 1);
    }
    size = {std::max(size.source_tokens / 2, sentence.source_tokens),
            std::max(size.target_tokens / 2, sentence.target_tokens), size.sentences / 2};
  }
  return size;
}

// The corpus in other pieces each epoch, with --bpe-dropout; else nothing.
data::EpochCorpus dropped_merges(const TrainingInputs& inputs, const data::BatchCapacity& capacity,
                                 uint64_t seed) {
  const TrainingOptions& options = inputs.options;
  const double rate = options.regularisation.bpe_dropout;
  if (rate == 0) return {};
  if (model_type(options.model) == nn::ModelType::classification)
    fail(ErrorKind::usage, "bpe-dropout: a classifier reads its text as it is; leave it out");
  // With </s> it must fit into a batch.
  const int64_t batch = inputs.corpus.has_source() ? std::min(capacity.source_tokens, capacity.target_tokens)
                                                   : capacity.target_tokens;
  const int64_t longest = std::min(options.text.max_length, batch - 1);
  const auto dropped =
      std::make_shared<data::DroppedCorpus>(inputs.text, inputs.corpus, *inputs.vocabularies.source,
                                            *inputs.vocabularies.target, rate, longest, seed);
  return [dropped](int64_t epoch) { return dropped->of_epoch(epoch); };
}

void check_reversible(const TrainingInputs& inputs, const data::BatchCapacity& capacity) {
  if (model_type(inputs.options.model) != nn::ModelType::translation)
    fail(ErrorKind::usage, "bidirectional: is for translation; leave it out");
  if (inputs.vocabularies.source != inputs.vocabularies.target)
    fail(ErrorKind::usage,
         "bidirectional: both sides must share a vocabulary; set joint-vocab, or leave it out");
  const auto check_side = [&](const char* name, int64_t longest, int64_t most) {
    if (longest < most) return;  // with </s>
    fail(ErrorKind::usage, "bidirectional: a {} has {} tokens, a batch holds {}; raise {}", name, longest + 1,
         most, inputs.options.batches.mini_batch > 0 ? "mini-batch" : "mini-batch-words");
  };
  const data::CorpusStatistics& statistics = inputs.corpus.statistics;
  check_side("source", statistics.source.longest, capacity.target_tokens);
  check_side("target", statistics.target.longest, capacity.source_tokens);
}

// What each epoch reads instead of the corpus, if anything.
data::EpochCorpus epoch_corpus(const TrainingInputs& inputs, const data::BatchCapacity& capacity,
                               uint64_t seed) {
  const data::EpochCorpus merges = dropped_merges(inputs, capacity, seed);
  const int64_t reversing = inputs.options.batches.bidirectional;
  if (reversing == 0) return merges;
  check_reversible(inputs, capacity);
  return [&corpus = inputs.corpus, merges, reversing, seed](int64_t epoch) {
    data::ParallelCorpus read = merges ? merges(epoch) : corpus;
    return epoch < reversing ? data::half_reversed(read, seed, epoch) : read;
  };
}

nn::WordDropout word_dropout(const TrainingOptions& options, const data::Vocabularies& vocabularies) {
  const nn::ModelType type = model_type(options.model);
  const double source = options.regularisation.dropout_src, target = options.regularisation.dropout_trg;
  if (source > 0 && type == nn::ModelType::language_model)
    fail(ErrorKind::usage, "dropout-src: a language model reads no source; give dropout-trg");
  if (target > 0 && type == nn::ModelType::classification)
    fail(ErrorKind::usage, "dropout-trg: a classifier reads no target; give dropout-src");
  return {.source = static_cast<float>(source),
          .target = static_cast<float>(target),
          .source_unknown = vocabularies.source->unk_id(),
          .target_unknown = vocabularies.target->unk_id()};
}

// The ranks that have a piece of the optimiser's state each.
const Collective& shards_of(const nn::TrainerOptions& options) {
  return options.shard_optimizer ? *options.ranks : Collective::alone();
}

// What a plan for one process says, of one of several.
void divide(nn::MemoryPlan& plan, const nn::TrainerOptions& options, DType dtype,
            const std::vector<nn::RateRule>& rates) {
  const int64_t shards = shards_of(options).size(), masters = plan.gradients;  // as large
  const bool splits_masters =
      dtype == DType::bf16 &&
      std::ranges::all_of(rates, [](const nn::RateRule& rule) { return rule.rate > 0; });
  plan.moments /= shards;
  if (splits_masters) plan.parameters -= masters - masters / shards;
  // The mean is as large as the masters.
  if (options.smoothing > 0) plan.moments += splits_masters ? masters / shards : masters;
}

// Its tensors allocated and its tables made: what a Trainer asks for.
nn::Model& ready(nn::Model& model, nn::ParameterStore& store, const TrainingSetup& setup) {
  nn::set_rates(store, setup.rates);
  store.allocate(setup.device, nn::ParameterStore::Gradients::yes, shards_of(setup.trainer));
  model.bind(setup.device);
  return model;
}

// How batches are cut, with the weight of each text.
data::BatchOrder weighted_order(const TrainingOptions& options) {
  data::BatchOrder order = batch_order(options.batches);
  order.weights = options.data.train_weights;
  const size_t texts = texts_of(options, options.data.train_sets).size();
  if (order.weights.empty() || order.weights.size() == texts) return order;
  fail(ErrorKind::usage, "train-weights: {} for {} text{}; give one for each", order.weights.size(), texts,
       texts == 1 ? "" : "s");
}

int64_t longest_side(const data::ParallelCorpus& corpus) {
  return std::max(corpus.statistics.source.longest, corpus.statistics.target.longest);
}

// With </s>. A table of positions has kMaxPositions, and more where sentences of validation and
// tests need them.
int64_t longest_read(const nn::TransformerConfig& model, const TrainingInputs& inputs) {
  int64_t longest = longest_side(inputs.corpus);
  if (model.max_length > nn::Model::kMaxPositions) {
    longest = std::max(longest, nn::Model::kMaxPositions - 1);
    if (inputs.validation) longest = std::max(longest, longest_side(inputs.validation->corpus));
    for (const TestSet& test : inputs.tests) longest = std::max(longest, longest_side(test.set->corpus));
  }
  return longest + 1;
}

// Sentences in training are no longer than the corpus's longest, though more may be allowed: up to
// 64 tokens attention takes its short path. With BPE-dropout they may come in more pieces than they
// have now.
nn::TransformerConfig fitted(nn::TransformerConfig model, const TrainingInputs& inputs) {
  if (model.learned_positions || !model.supports(nn::Feature::fitted_length) ||
      inputs.options.regularisation.bpe_dropout > 0)
    return model;
  model.max_length = std::min(model.max_length, longest_read(model, inputs));
  return model;
}

}  // namespace

TrainingSetup training_setup(const TrainingInputs& inputs, Collective& ranks) {
  const TrainingOptions& options = inputs.options;
  const auto seed = static_cast<uint64_t>(options.numerics.seed);
  const DType dtype = chosen_dtype(options.compute);
  const nn::TransformerConfig model = fitted(trained_model_config(options, inputs.vocabularies), inputs);
  const Device device = set_up_device(options.compute);
  if (options.optimizer.optimizer == "muon" && !model.supports(nn::Feature::muon))
    fail(ErrorKind::usage, "optimizer: muon knows no matrices in a model with {}; use adam",
         model.variant->name());
  check_method(options, model);
  const int64_t readings = most_readings(options);
  const data::BatchCapacity capacity = options.batches.mini_batch_fit
                                           ? fitting_capacity(options, model, dtype, device.type)
                                           : batch_capacity(options, inputs.corpus);
  const BatchSize largest = computed_at_once(options, model, size_of(capacity), dtype, device.type);

  data::TrainingBatches batches(inputs.corpus, batch_specials(model.type, inputs.vocabularies), capacity,
                                seed, weighted_order(options), epoch_corpus(inputs, capacity, seed));
  const double updates_per_epoch = static_cast<double>(batches.batches_in_epoch()) /
                                   static_cast<double>(options.batches.optimizer_delay * ranks.size());
  nn::TrainerOptions trainer = trainer_options(options, updates_per_epoch);
  trainer.word_dropout = word_dropout(options, inputs.vocabularies);
  trainer.capacity = largest;
  trainer.ranks = &ranks;
  trainer.shard_optimizer = options.processes.shard_optimizer;
  const std::vector<nn::RateRule> rates = rate_rules(options);
  nn::MemoryPlan plan =
      nn::plan_memory(model, largest.repeated(readings), dtype, trainer.optimizer, device.type, rates);
  divide(plan, trainer, dtype, rates);
  return {.loop = loop_options(options),
          .capacity = capacity,
          .seed = seed,
          .batches = std::move(batches),
          .updates_per_epoch = updates_per_epoch,
          .model = model,
          .trainer = trainer,
          .rates = rates,
          .dtype = dtype,
          .device = device,
          .workspace = options.numerics.workspace << 20,
          .plan = plan};
}

std::string batches_line(const TrainingSetup& setup, const TrainingInputs& inputs) {
  std::string line = fmt::format("{:.1f} updates per epoch", setup.updates_per_epoch);
  const data::BatchOrder order = weighted_order(inputs.options);
  if (order.pool == 0) return line;
  const auto padding = [&](const data::BatchOrder& cut) {
    return 100 * data::padding_share(inputs.corpus,
                                     data::epoch_batches(inputs.corpus, setup.capacity, cut, setup.seed, 0));
  };
  return line + fmt::format("; padded, {:.1f}% of a batch would be padding, {:.1f}% if none were sorted",
                            padding(order), padding({.shuffle = order.shuffle, .weights = order.weights}));
}

TrainedModel::TrainedModel(const TrainingSetup& setup)
    : store(setup.dtype),
      model(nn::make_model(setup.model, store)),
      arena(setup.device, arena_bytes(setup.plan)),
      trainer(ready(*model, store, setup), store, arena, setup.trainer) {
  if (setup.workspace > 0) arena.set_limit(setup.workspace);
}

}  // namespace xf::tools
