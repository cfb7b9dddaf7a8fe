#include "tools/config/model_config.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/processor.h"
#include "data/vocabularies.h"
#include "nn/quirks/settings.h"
#include "tools/config/build_info.h"
#include "tools/config/model_text.h"
#include "tools/config/options.h"

namespace xf::tools {

namespace {

// The training loop knows where an epoch ends, and not how long it is.
nn::Amount to_nn(const Amount& amount, const char* key) {
  if (amount.unit == AmountUnit::epochs && amount.value != std::floor(amount.value))
    fail(ErrorKind::usage, "{}: {} is a part of an epoch; give whole epochs, or updates", key,
         to_string(amount));
  switch (amount.unit) {
    case AmountUnit::epochs: return {nn::Amount::Unit::epochs, amount.value};
    case AmountUnit::updates: return {nn::Amount::Unit::updates, amount.value};
    case AmountUnit::tokens: return {nn::Amount::Unit::target_tokens, amount.value};
    case AmountUnit::hours: return {nn::Amount::Unit::seconds, amount.value * 3600};
    case AmountUnit::minutes: return {nn::Amount::Unit::seconds, amount.value * 60};
  }
  return {};
}

nn::Amount frequency(const Options& options, const char* key) {
  const nn::Amount amount = to_nn(options.get_amount(key), key);
  if (amount.unit == nn::Amount::Unit::seconds) {
    fail(ErrorKind::usage, "{} counts updates, epochs or tokens (50u, 1e, 2Mt), not time", key);
  }
  return amount;
}

int64_t in_updates(const Amount& amount, double updates_per_epoch, const char* key) {
  if (amount.unit == AmountUnit::updates) return std::llround(amount.value);
  if (amount.unit == AmountUnit::epochs) return std::llround(amount.value * updates_per_epoch);
  fail(ErrorKind::usage, "{} counts updates or epochs (2000u, 5e)", key);
}

// Where a cosine reaches zero. An update may have the batches of several epochs (--optimizer-delay).
int64_t end_of_cosine(const Options& options, double updates_per_epoch) {
  const std::optional<double> last = last_update(options, updates_per_epoch);
  if (!last)
    fail(ErrorKind::usage,
         "lr-schedule cosine needs an end: give --after in updates or epochs (8000u, 100e)");
  return std::max<int64_t>(1, std::llround(*last));
}

nn::Plateau plateau(const Options& options) {
  if (options.get_strings("valid-sets").empty())
    fail(ErrorKind::usage, "lr-schedule plateau looks at validation scores: give --valid-sets {}",
         files_shown(model_type(options)));
  return {.factor = options.get_float("lr-decay"),
          .patience = options.get_int("lr-decay-patience"),
          .start_epoch = options.get_int("lr-decay-start")};
}

nn::Schedule schedule(const Options& options, double updates_per_epoch) {
  const std::string& name = options.get_string("lr-schedule");
  const double rate = options.get_float("learn-rate");
  const int64_t warmup = in_updates(options.get_amount("lr-warmup"), updates_per_epoch, "lr-warmup");
  if (name == "noam") return nn::noam(rate, options.get_int("dim-emb"), warmup);
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

nn::Tying tying(const Options& options) {
  if (options.get_bool("tied-embeddings-all")) return nn::Tying::all;
  return options.get_bool("tied-embeddings") ? nn::Tying::target : nn::Tying::none;
}

kernels::Activation activation(std::string_view name) {
  return *std::ranges::find(kernels::kActivations, name, [](auto f) { return std::string_view(name_of(f)); });
}

kernels::PositionLayout position_layout(const std::string& name) {
  using kernels::PositionLayout;
  if (name == "marian") return PositionLayout::marian;
  return name == "split" ? PositionLayout::split : PositionLayout::interleaved;
}

nn::LoopOptions::OnDivergence on_divergence(const Options& options) {
  using Policy = nn::LoopOptions::OnDivergence;
  const bool stop = options.get_bool("throw-on-divergence"), roll_back = options.get_bool("rollback");
  if (stop && roll_back) fail(ErrorKind::usage, "throw-on-divergence and rollback: choose one of them");
  return stop ? Policy::stop : roll_back ? Policy::roll_back : Policy::warn;
}

nn::LoopOptions::StoppingMetric stopping_metric(const std::string& name) {
  using Metric = nn::LoopOptions::StoppingMetric;
  return name == "any" ? Metric::any : name == "all" ? Metric::all : Metric::first;
}

}  // namespace

std::optional<double> last_update(const Options& options, double updates_per_epoch) {
  std::optional<double> last;
  for (const Amount& amount : options.get_amounts("after")) {
    if (amount.unit != AmountUnit::updates && amount.unit != AmountUnit::epochs) continue;
    const double updates = amount.value * (amount.unit == AmountUnit::epochs ? updates_per_epoch : 1);
    last = std::min(last.value_or(updates), updates);
  }
  return last;
}

nn::TransformerConfig model_config(const Options& options, int64_t source_vocabulary,
                                   int64_t target_vocabulary) {
  if (options.get_bool("tied-embeddings-all") && source_vocabulary != target_vocabulary) {
    fail(ErrorKind::usage,
         "tied-embeddings-all needs one vocabulary for both sides, got sizes {} and {}; "
         "use --joint-vocab, give one file to --vocabs, or --tied-embeddings-all=false",
         source_vocabulary, target_vocabulary);
  }
  nn::TransformerConfig config;
  config.type = model_type(options);
  config.source_vocabulary = source_vocabulary;
  config.target_vocabulary = target_vocabulary;
  config.dim = options.get_int("dim-emb");
  config.heads = options.get_int("transformer-heads");
  config.feed_forward = options.get_int("transformer-dim-ffn");
  config.encoder_layers = options.get_int("enc-depth");
  config.decoder_layers = options.get_int("dec-depth");
  config.norm = options.get_string("norm") == "pre" ? nn::NormPlacement::pre : nn::NormPlacement::post;
  config.norm_epsilon = static_cast<float>(options.get_float("layer-norm-epsilon"));
  config.activation = activation(options.get_string("transformer-ffn-activation"));
  config.positions = position_layout(options.get_string("position-layout"));
  config.learned_positions = options.get_bool("transformer-train-positions");
  config.rotary_positions = options.get_bool("transformer-rotary-positions");
  config.tying = tying(options);
  config.dropout = static_cast<float>(options.get_float("transformer-dropout"));
  config.attention_dropout = static_cast<float>(options.get_float("transformer-dropout-attention"));
  config.feed_forward_dropout = static_cast<float>(options.get_float("transformer-dropout-ffn"));
  config.label_smoothing = static_cast<float>(options.get_float("label-smoothing"));
  // Sentences of max-length pieces, and their </s> or <s>.
  config.max_length = options.get_int("max-length") + 1;
  config.recompute_layers = options.get_bool("gradient-checkpointing");
  if (const auto& settings = options.get_strings("quirks"); !settings.empty())
    config.quirks = nn::quirks::quirks_from(settings);
  return config;
}

nn::TransformerConfig model_config(const Options& options, const data::Vocabularies& vocabularies) {
  nn::TransformerConfig config =
      model_config(options, vocabularies.source->size(), vocabularies.target->size());
  config.source_pad = vocabularies.source->pad_id();
  config.target_pad = vocabularies.target->pad_id();
  if (config.quirks && config.recompute_layers)
    fail(ErrorKind::usage, "gradient-checkpointing: not for models with quirks, whose layers are another's");
  if (config.quirks && (config.source_pad < 0 || config.target_pad < 0))
    fail(ErrorKind::usage, "quirks need vocabularies with <pad>; leave --vocabs out, and they are made so");
  return config;
}

data::BatchOrder batch_order(const Options& options) {
  const std::string &shuffle = options.get_string("shuffle"), &sort = options.get_string("maxi-batch-sort");
  return {.shuffle = shuffle == "data"      ? data::Shuffle::data
                     : shuffle == "batches" ? data::Shuffle::batches
                                            : data::Shuffle::none,
          .pool = options.get_int("maxi-batch"),
          .sort = sort == "src"    ? data::PoolSort::source
                  : sort == "trg"  ? data::PoolSort::target
                  : sort == "both" ? data::PoolSort::both
                                   : data::PoolSort::none};
}

nn::OptimizerOptions optimizer_options(const Options& options) {
  const std::string& name = options.get_string("optimizer");
  const std::vector<double> params = options.get_floats("optimizer-params");
  const auto param = [&](size_t i) { return static_cast<float>(params.at(i)); };
  const auto decay = static_cast<float>(options.get_float("weight-decay"));
  if (name == "sgd") return kernels::SgdOptions{.momentum = param(0), .weight_decay = decay};
  const kernels::AdamOptions adam{.beta1 = param(0),
                                  .beta2 = param(1),
                                  .eps = param(2),
                                  .weight_decay = decay,
                                  .decoupled = name != "adam"};
  if (name == "muon") return nn::MuonOptions{{.momentum = param(3), .weight_decay = decay}, adam};
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
         "learn-rate-of: '{}' must be REGEX=X, X above 0 and at most 1000, which is times the learning rate; "
         "--freeze is for 0",
         rule);
  return {rule.substr(0, sign), rate, "learn-rate-of"};
}

}  // namespace

std::vector<nn::RateRule> rate_rules(const Options& options) {
  std::vector<nn::RateRule> rules;
  for (const std::string& pattern : options.get_strings("freeze")) rules.push_back({pattern, 0, "freeze"});
  for (const std::string& rule : options.get_strings("learn-rate-of")) rules.push_back(rate_rule(rule));
  return rules;
}

nn::TrainerOptions trainer_options(const Options& options, double updates_per_epoch) {
  nn::TrainerOptions trainer;
  trainer.schedule = schedule(options, updates_per_epoch);
  trainer.optimizer = optimizer_options(options);
  trainer.clip_norm = static_cast<float>(options.get_float("clip-norm"));
  trainer.micro_batches = options.get_int("optimizer-delay");
  trainer.r_drop = options.get_float("r-drop");
  trainer.r_drop_after = in_updates(options.get_amount("r-drop-after"), updates_per_epoch, "r-drop-after");
  trainer.smoothing = options.get_float("exponential-smoothing");
  trainer.seed = static_cast<uint64_t>(options.get_int("seed"));
  return trainer;
}

nn::LoopOptions loop_options(const Options& options) {
  nn::LoopOptions loop;
  for (const Amount& amount : options.get_amounts("after")) {
    if (amount.value <= 0) fail(ErrorKind::usage, "after: {} is no training at all", to_string(amount));
    loop.after.push_back(to_nn(amount, "after"));
  }
  loop.validate_every = frequency(options, "valid-freq");
  loop.save_every = frequency(options, "save-freq");
  loop.report_every = frequency(options, "disp-freq");
  loop.report_first = options.get_int("disp-first");
  loop.early_stopping = options.get_int("early-stopping");
  loop.early_stopping_epsilon = options.get_float("early-stopping-epsilon");
  loop.early_stopping_on = stopping_metric(options.get_string("early-stopping-on"));
  loop.keep_best = options.get_int("keep-best");
  loop.on_divergence = on_divergence(options);
  return loop;
}

namespace {

bool computes_in(const Options& options, std::string_view precision) {
  return options.is_set("precision") && options.get_string("precision") == precision;
}

}  // namespace

Device set_up_device(const Options& options) {
  const Device device = choose_device(options.get_string("device")).device;
  const bool tf32 = computes_in(options, "tf32");
  if (tf32 && device.type != DeviceType::cuda)
    fail(ErrorKind::usage, "--precision tf32 is for products on a GPU; on the CPU take float32 or bfloat16");
  kernels::round_products_to_tf32(tf32);
  return device;
}

DType chosen_dtype(const Options& options) {
  if (computes_in(options, "auto")) {
    const Device device = choose_device(options.get_string("device")).device;
    return kernels::has_fast_bf16_products(device) ? DType::bf16 : DType::f32;
  }
  return computes_in(options, "bfloat16") ? DType::bf16 : DType::f32;
}

ChosenPrecision chosen_precision(const Options& options) {
  if (!computes_in(options, "auto")) return {options.get_string("precision"), ""};
  if (chosen_dtype(options) == DType::bf16) return {"bfloat16", "precision auto: bfloat16"};
  return {"float32", "precision auto: float32 (this processor multiplies bfloat16 no faster)"};
}

namespace {

std::string kernels_of(Device device) {
  if (device != Device::cpu()) return description_of(device);
  return fmt::format("{}, {} kernels, {} products", description_of(device), name_of(cpu_level()),
                     product_instructions());
}

}  // namespace

std::string arithmetic(const Options& options) {
  return fmt::format("{}, {}", kernels_of(choose_device(options.get_string("device")).device),
                     chosen_precision(options).name);
}

std::string device_line(const Options& options) {
  const auto [device, why_not_cuda] = choose_device(options.get_string("device"));
  std::string line = kernels_of(device);
  if (!why_not_cuda.empty()) line += fmt::format(" ({})", why_not_cuda);
  if (computes_in(options, "tf32")) return line + " · tf32 products";
  if (chosen_dtype(options) == DType::f32) return line;
  line += " · bfloat16";
  if (!kernels::has_fast_bf16_products(device)) {
    line += " (slower than float32: this processor has no AMX, nor a fast AVX512_BF16)";
  }
  return line;
}

}  // namespace xf::tools
