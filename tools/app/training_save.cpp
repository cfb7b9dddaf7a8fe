#include "tools/app/training_save.h"
#include "tools/config/stored_metrics.h"
#include "tools/config/training_options.h"

#include "core/parallel.h"
#include "data/corpus_preparation.h"
#include "tools/console/shell_word.h"
#include "tools/formats/stored_model.h"
#include "tools/setup/compute_device.h"
#include "tools/setup/model_config.h"

namespace xf::tools {

namespace {

constexpr const char* kTokenizer = "valid_tokenizer";

std::string validation_hash(const TrainingInputs& inputs) { return data::hash_of(inputs.validation->text); }

}  // namespace

nn::KeyValues state_to_save(const nn::TrainingState& state, const RunReport::Lengths& logs,
                            const TrainingInputs& inputs, const TrainingSetup& setup) {
  nn::TrainingState stored = state;
  stored.best_metric = stored_metric(state.best_metric);
  for (nn::MetricProgress& other : stored.other_metrics) other.metric = stored_metric(other.metric);
  nn::KeyValues saved = nn::to_state(stored);
  saved.set("seed", static_cast<int64_t>(setup.seed));
  saved.set("threads", int64_t{thread_count()});
  saved.set("arithmetic", arithmetic(inputs.options.compute));
  saved.set("data_hash", inputs.data_hash);
  if (inputs.validation) {
    saved.set("valid_hash", validation_hash(inputs));
    saved.set(kTokenizer, std::string(data::bleu_tokenizer_name(inputs.validation->fit.tokenizer)));
  }
  saved.set("log_bytes", logs.log);
  saved.set("metrics_bytes", logs.metrics);
  return saved;
}

nn::TrainingState training_state_of(const nn::KeyValues& saved) {
  nn::TrainingState state = nn::training_state_from(saved);
  state.best_metric = metric_stored_as(state.best_metric);
  for (nn::MetricProgress& other : state.other_metrics) other.metric = metric_stored_as(other.metric);
  return state;
}

RunReport::Lengths lengths_of_logs(const nn::KeyValues& saved) {
  return {saved.get<int64_t>("log_bytes"), saved.get<int64_t>("metrics_bytes")};
}

nn::Checkpoint checkpoint_of(const nn::TrainingState& state, const RunReport::Lengths& logs,
                             const TrainingInputs& inputs, const TrainingSetup& setup,
                             const TrainedModel& model) {
  nn::Checkpoint checkpoint;
  checkpoint.update = state.update;
  const nn::Optimizer& optimizer = model.trainer.optimizer();
  checkpoint.optimizer = optimizer.whole_state();
  checkpoint.model = nn::model_of(model.store, optimizer.whole(model.store.masters()));
  if (const nn::Smoothing* smoothing = model.trainer.smoothing())
    // they have changed places
    checkpoint.optimizer["weights"] = optimizer.whole(smoothing->mean());
  checkpoint.metadata = {{"update", std::to_string(state.update)}};
  describe_vocabularies(inputs.vocabularies, checkpoint.metadata);
  checkpoint.state = state_to_save(state, logs, inputs, setup);
  checkpoint.model_config = to_toml(inputs.options);
  checkpoint.training_config = options_of(inputs.options).to_toml();
  return checkpoint;
}

void check_same_text(const nn::Checkpoint& checkpoint, const TrainingInputs& inputs,
                     const std::string& where) {
  if (checkpoint.state.get<std::string>("data_hash") != inputs.data_hash) {
    fail(ErrorKind::usage,
         "train-sets: not the text that {} was trained on; give that text to resume; to train its weights on "
         "this text: xformer-train --pretrained-model {} -m NEW -t {}",
         where, shell_word(where), shell_words(inputs.options.data.train_sets));
  }
  check_vocabularies(inputs.vocabularies, checkpoint.metadata, where);
}

bool scored_other_text(const nn::KeyValues& saved, const TrainingInputs& inputs) {
  if (!inputs.validation || !saved.has("valid_hash")) return false;
  return saved.get<std::string>("valid_hash") != validation_hash(inputs);
}

// Earlier versions had one alone.
std::optional<data::BleuTokenizer> scoring_tokenizer(const nn::KeyValues& saved) {
  if (!saved.has("valid_hash")) return {};
  return saved.has(kTokenizer) ? data::bleu_tokenizer_from_name(saved.get<std::string>(kTokenizer))
                               : data::BleuTokenizer::mteval_13a;
}

void load_training(const nn::Checkpoint& checkpoint, TrainingSetup& setup, TrainedModel& model,
                   const std::string& where) {
  nn::load_model(checkpoint.model, model.store, where);
  if (const nn::Smoothing* smoothing = model.trainer.smoothing()) {
    smoothing->begin();  // the model of a checkpoint is the mean
    const auto weights = checkpoint.optimizer.find("weights");
    if (weights != checkpoint.optimizer.end()) {
      for (const nn::Parameter& p : model.store.parameters())
        model.store.set(p, weights->second.slice_rows(p.begin, p.begin + p.shape.numel()));
    }
  }
  setup.batches.restore({checkpoint.state.get<int64_t>("epoch"), checkpoint.state.get<int64_t>("position")});
}

void load_moments(const nn::Checkpoint& checkpoint, const TrainingOptions& options,
                  const nn::Optimizer& optimizer, const std::string& where) {
  const TrainingOptions before = training_of(checkpoint, where);
  for (const char* name : {"freeze", "lr-multiplier"}) {  // the moments lie in an order that
                                                          // depends on them
    if (options_of(options).at(name).words() != options_of(before).at(name).words())
      fail(ErrorKind::usage,
           "{}: was trained with another --{}; --no-optimizer-reload resumes without its moments", where,
           name);
  }
  for (const auto& [name, moment] : optimizer.state()) {
    const auto found = checkpoint.optimizer.find(name);
    if (found == checkpoint.optimizer.end()) {
      fail(ErrorKind::data,
           "{}: the checkpoint has no {} of --optimizer {}; --no-optimizer-reload resumes without", where,
           name, options.optimizer.optimizer);
    }
    moment.copy_from(optimizer.own(found->second));
  }
}

}  // namespace xf::tools
