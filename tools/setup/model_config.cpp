#include "tools/setup/model_config.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/processor.h"
#include "data/vocabularies.h"
#include "nn/model_variant.h"
#include "tools/config/build_info.h"
#include "tools/config/training_options.h"
#include "tools/setup/task_data.h"
#include "tools/setup/training_method.h"

namespace xf::tools {

namespace {

// The training loop knows where an epoch ends, and not how long it is.
TrainingLength checked(const TrainingLength& length, const char* key) {
  if (length.unit == TrainingLength::Unit::epochs && length.value != std::floor(length.value))
    fail(ErrorKind::usage, "{}: {} is a part of an epoch; give whole epochs, or updates", key,
         to_string(length));
  return length;
}

TrainingLength frequency(const TrainingLength& every, const char* key) {
  if (checked(every, key).is_time()) {
    fail(ErrorKind::usage, "{} counts updates, epochs or tokens (50u, 1e, 2Mt), not time", key);
  }
  return every;
}

// Where a cosine reaches zero. An update may have the batches of several epochs
// (--optimizer-delay).
int64_t end_of_cosine(const TrainingOptions& options, double updates_per_epoch) {
  const std::optional<double> last = last_update(options, updates_per_epoch);
  if (!last)
    fail(ErrorKind::usage,
         "lr-schedule cosine needs an end: give --after in updates or epochs (8000u, 100e)");
  return std::max<int64_t>(1, std::llround(*last));
}

nn::Plateau plateau(const TrainingOptions& options) {
  if (options.data.valid_sets.empty())
    fail(ErrorKind::usage, "lr-schedule plateau needs validation scores: give --valid-sets {}",
         files_shown(model_type(options.model)));
  return {.factor = options.schedule.lr_decay,
          .patience = options.schedule.lr_decay_patience,
          .start_epoch = options.schedule.lr_decay_start};
}

nn::Schedule schedule(const TrainingOptions& options, double updates_per_epoch) {
  const std::string& name = options.schedule.lr_schedule;
  const double rate = options.schedule.learn_rate;
  const int64_t warmup = in_updates(options.schedule.lr_warmup, updates_per_epoch, "lr-warmup");
  if (name == "noam") return nn::noam(rate, options.model.dim_emb, warmup);
  nn::Schedule schedule{.peak = rate, .warmup = warmup};
  if (name == "inverse-sqrt") schedule.decay = nn::Decay::inverse_sqrt;
  if (name == "cosine") {
    schedule.decay = nn::Decay::cosine;
    schedule.total = end_of_cosine(options, updates_per_epoch);
  }
  if (name == "plateau") {
    schedule.decay = nn::Decay::plateau;
    schedule.plateau = plateau(options);
  }
  return schedule;
}

nn::Tying tying(const ModelOptions& options) {
  if (options.tied_embeddings_all) return nn::Tying::all;
  return options.tied_embeddings ? nn::Tying::target : nn::Tying::none;
}

kernels::Activation activation(std::string_view name) {
  return *std::ranges::find(kernels::kActivations, name, [](auto f) { return std::string_view(name_of(f)); });
}

kernels::PositionLayout position_layout(const std::string& name) {
  using kernels::PositionLayout;
  if (name == "marian") return PositionLayout::marian;
  return name == "split" ? PositionLayout::split : PositionLayout::interleaved;
}

nn::LoopOptions::OnDivergence on_divergence(const TrainingOptions& options) {
  using Policy = nn::LoopOptions::OnDivergence;
  const bool stop = options.numerics.throw_on_divergence, roll_back = options.numerics.rollback;
  if (stop && roll_back) fail(ErrorKind::usage, "throw-on-divergence and rollback: choose one of them");
  return stop ? Policy::stop : roll_back ? Policy::roll_back : Policy::warn;
}

nn::LoopOptions::StoppingMetric stopping_metric(const std::string& name) {
  using Metric = nn::LoopOptions::StoppingMetric;
  return name == "any" ? Metric::any : name == "all" ? Metric::all : Metric::first;
}

}  // namespace

int64_t in_updates(const TrainingLength& length, double updates_per_epoch, const char* key) {
  if (length.unit == TrainingLength::Unit::updates) return std::llround(length.value);
  if (length.unit == TrainingLength::Unit::epochs) return std::llround(length.value * updates_per_epoch);
  fail(ErrorKind::usage, "{} counts updates or epochs (2000u, 5e)", key);
}

void check_counts_updates(const TrainingLength& length, const char* key) {
  if (length.unit != TrainingLength::Unit::updates && length.unit != TrainingLength::Unit::epochs)
    fail(ErrorKind::usage, "{}: give updates (2000u) or epochs (5e)", key);
}

std::optional<double> last_update(const TrainingOptions& options, double updates_per_epoch) {
  std::optional<double> last;
  for (const TrainingLength& length : options.stopping.after) {
    if (length.unit != TrainingLength::Unit::updates && length.unit != TrainingLength::Unit::epochs) continue;
    const double updates =
        length.value * (length.unit == TrainingLength::Unit::epochs ? updates_per_epoch : 1);
    last = std::min(last.value_or(updates), updates);
  }
  return last;
}

namespace {

nn::TransformerConfig model_config(const ModelSettings& settings, int64_t source_vocabulary,
                                   int64_t target_vocabulary, const nn::PadIds& pad) {
  if (settings.model.tied_embeddings_all && source_vocabulary != target_vocabulary) {
    fail(ErrorKind::usage,
         "tied-embeddings-all needs one vocabulary for both sides, got sizes {} and {}; "
         "use --joint-vocab, give one file to --vocabs, or --tied-embeddings-all=false",
         source_vocabulary, target_vocabulary);
  }
  nn::TransformerConfig config;
  config.type = model_type(settings.model);
  config.source_vocabulary = source_vocabulary;
  config.target_vocabulary = target_vocabulary;
  config.dim = settings.model.dim_emb;
  config.heads = settings.model.transformer_heads;
  config.feed_forward = settings.model.transformer_dim_ffn;
  config.encoder_layers = settings.model.enc_depth;
  config.decoder_layers = settings.model.dec_depth;
  config.norm = settings.model.norm == "pre" ? nn::NormPlacement::pre : nn::NormPlacement::post;
  config.norm_epsilon = static_cast<float>(settings.model.layer_norm_epsilon);
  config.activation = activation(settings.model.transformer_ffn_activation);
  config.positions = position_layout(settings.model.position_layout);
  config.learned_positions = settings.model.transformer_train_positions;
  config.rotary_positions = settings.model.transformer_rotary_positions;
  config.tying = tying(settings.model);
  config.dropout = static_cast<float>(settings.model.transformer_dropout);
  config.attention_dropout = static_cast<float>(settings.model.transformer_dropout_attention);
  config.feed_forward_dropout = static_cast<float>(settings.model.transformer_dropout_ffn);
  config.label_smoothing = static_cast<float>(settings.model.label_smoothing);
  // Sentences of max-length pieces, and their </s> or <s>.
  config.max_length = settings.text.max_length + 1;
  if (const auto& quirks = settings.model.quirks; !quirks.empty())
    config.variant = nn::model_variants().at("quirks")(quirks, pad);
  return config;
}

}  // namespace

nn::TransformerConfig model_config(const ModelSettings& settings, int64_t source_vocabulary,
                                   int64_t target_vocabulary) {
  return model_config(settings, source_vocabulary, target_vocabulary, {});
}

nn::TransformerConfig model_config(const ModelSettings& settings, const data::Vocabularies& vocabularies) {
  const data::Tokenizer &source = *vocabularies.source, &target = *vocabularies.target;
  const nn::TransformerConfig config =
      model_config(settings, source.size(), target.size(), {source.pad_id(), target.pad_id()});
  if (config.variant) config.variant->check_vocabularies();
  return config;
}

nn::TransformerConfig trained_model_config(const TrainingOptions& options,
                                           const data::Vocabularies& vocabularies) {
  nn::TransformerConfig config = model_config(options, vocabularies);
  config.recompute_layers = options.numerics.gradient_checkpointing;
  if (config.recompute_layers && !config.supports(nn::Feature::recomputed_layers))
    fail(ErrorKind::usage, "gradient-checkpointing: models with {} do not support it; leave it out",
         config.variant->name());
  return config;
}

data::BatchOrder batch_order(const BatchOptions& options) {
  const std::string &shuffle = options.shuffle, &sort = options.maxi_batch_sort;
  return {.shuffle = shuffle == "data"      ? data::Shuffle::data
                     : shuffle == "batches" ? data::Shuffle::batches
                                            : data::Shuffle::none,
          .pool = options.maxi_batch,
          .sort = sort == "src"    ? data::PoolSort::source
                  : sort == "trg"  ? data::PoolSort::target
                  : sort == "both" ? data::PoolSort::both
                                   : data::PoolSort::none};
}

nn::OptimizerOptions optimizer_options(const TrainingOptions& options) {
  const std::string& name = options.optimizer.optimizer;
  const std::vector<double> params = options.optimizer.optimizer_params;
  const auto param = [&](size_t i) { return static_cast<float>(params.at(i)); };
  const auto decay = static_cast<float>(options.optimizer.weight_decay);
  if (name == "sgd") return kernels::SgdOptions{.momentum = param(0), .weight_decay = decay};
  const kernels::AdamOptions adam{.beta1 = param(0),
                                  .beta2 = param(1),
                                  .eps = param(2),
                                  .weight_decay = decay,
                                  .decoupled = name != "adam"};
  if (name == "muon") return nn::MuonAndAdamOptions{{.momentum = param(3), .weight_decay = decay}, adam};
  return adam;
}

namespace {

// "REGEX=X"; a pattern may have a sign of its own, a number has none.
nn::RateRule rate_rule(const std::string& rule) {
  const size_t sign = rule.rfind('=');
  const char* const end = rule.data() + rule.size();
  float rate = 0;
  if (sign != std::string::npos) {
    const auto [rest, error] = std::from_chars(rule.data() + sign + 1, end, rate);
    if (rest != end || error != std::errc()) rate = 0;
  }
  if (!(rate > 0 && rate <= 1000))
    fail(ErrorKind::usage,
         "lr-multiplier: '{}' must be REGEX=X, "
         "X above 0 and at most 1000, which is times the learning rate; --freeze is for 0",
         rule);
  return {rule.substr(0, sign), rate, "lr-multiplier"};
}

}  // namespace

std::vector<nn::RateRule> rate_rules(const TrainingOptions& options) {
  std::vector<nn::RateRule> rules;
  for (const std::string& pattern : options.optimizer.freeze) rules.push_back({pattern, 0, "freeze"});
  for (const std::string& rule : options.optimizer.lr_multiplier) rules.push_back(rate_rule(rule));
  return rules;
}

nn::TrainerOptions trainer_options(const TrainingOptions& options, double updates_per_epoch) {
  nn::TrainerOptions trainer;
  trainer.schedule = schedule(options, updates_per_epoch);
  trainer.optimizer = optimizer_options(options);
  trainer.clip_norm = static_cast<float>(options.optimizer.clip_norm);
  trainer.micro_batches = options.batches.optimizer_delay;
  trainer.method = training_method(options, updates_per_epoch);
  trainer.smoothing = options.optimizer.exponential_smoothing;
  trainer.seed = static_cast<uint64_t>(options.numerics.seed);
  return trainer;
}

nn::LoopOptions loop_options(const TrainingOptions& options) {
  nn::LoopOptions loop;
  for (const TrainingLength& length : options.stopping.after) {
    if (length.value <= 0)
      fail(ErrorKind::usage, "after: {} means no training; give more than 0", to_string(length));
    loop.after.push_back(checked(length, "after"));
  }
  loop.validate_every = frequency(options.validation.valid_freq, "valid-freq");
  loop.save_every = frequency(options.saving.save_freq, "save-freq");
  loop.report_every = frequency(options.logging.disp_freq, "disp-freq");
  loop.report_first = options.logging.disp_first;
  loop.early_stopping = options.stopping.early_stopping;
  loop.early_stopping_epsilon = options.stopping.early_stopping_epsilon;
  loop.early_stopping_on = stopping_metric(options.stopping.early_stopping_on);
  loop.keep_best = options.saving.keep_best;
  loop.on_divergence = on_divergence(options);
  return loop;
}

}  // namespace xf::tools
