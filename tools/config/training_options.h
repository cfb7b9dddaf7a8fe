// The configuration of xformer-train, which is also what a run and each of its checkpoints keep
// (training.toml); and, of it, what a model is, how its text is cut and how it is searched, which
// its folder keeps however it was trained (model.toml).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/config/option.h"

namespace xf::tools {

// How text is cut into tokens.
struct TextOptions {
  int64_t vocab_size = 0, min_freq = 2, max_length = 100;
  bool joint_vocab = false, lowercase = false;
  std::string tokenizer;
  std::vector<std::string> languages;
};

// What the model is, and what of its values is dropped and smoothed when it learns
// (nn/transformer_config.h).
struct ModelOptions {
  std::string type = "translation";
  int64_t dim_emb = 0, enc_depth = 0, dec_depth = 0, transformer_heads = 0, transformer_dim_ffn = 0;
  std::string norm, transformer_ffn_activation, position_layout = "interleaved";
  double layer_norm_epsilon = 1e-5;
  bool tied_embeddings = false, tied_embeddings_all = false;
  bool transformer_train_positions = false, transformer_rotary_positions = false;
  std::vector<std::string> quirks;
  double transformer_dropout = 0, transformer_dropout_attention = 0, transformer_dropout_ffn = 0;
  double label_smoothing = 0;
};

// The model's own defaults for translating.
struct SearchOptions {
  int64_t beam_size = 5;
  double normalize = 1;
};

struct ModelSettings {
  TextOptions text;
  ModelOptions model;
  SearchOptions search;
};

// Where to compute, and in what type.
struct ComputeOptions {
  std::string precision, device = "auto";
  int64_t cpu_threads = 0;
};

// Which text is read.
struct DataOptions {
  std::vector<std::string> train_sets, valid_sets, test_sets, vocabs;
  std::vector<double> train_weights;
  std::string cache;
  bool cache_of_others = false, tsv = false, allow_unknown = false, max_length_crop = false;
  int64_t spm_input_sentences = 1000000;
  std::vector<int64_t> vocab_sizes;
};

// What keeps it from learning its text by heart.
struct RegularisationOptions {
  double dropout_src = 0, dropout_trg = 0, bpe_dropout = 0, r_drop = 0;
  TrainingLength r_drop_after = TrainingLength{0, TrainingLength::Unit::updates};
};

// How batches are cut.
struct BatchOptions {
  std::string shuffle = "data", maxi_batch_sort = "both";
  int64_t bidirectional = 0, mini_batch_words = 0, mini_batch = 0, maxi_batch = 0, optimizer_delay = 0;
  bool mini_batch_fit = false;
};

// How an update is made.
struct OptimizerOptions {
  std::string optimizer;
  std::vector<double> optimizer_params;
  double weight_decay = 0, exponential_smoothing = 0, clip_norm = 0;
  std::vector<std::string> freeze, lr_multiplier;
};

// The learning rate.
struct ScheduleOptions {
  double learn_rate = 0, lr_decay = 0.9;
  std::string lr_schedule;
  TrainingLength lr_warmup;
  int64_t lr_decay_patience = 10, lr_decay_start = 0;
};

// When training ends.
struct StoppingOptions {
  std::vector<TrainingLength> after;
  int64_t early_stopping = 0;
  std::string early_stopping_on = "first";
  double early_stopping_epsilon = 0;
};

// What is measured on other text, and how often.
struct ValidationOptions {
  TrainingLength valid_freq = TrainingLength{1, TrainingLength::Unit::epochs};
  std::vector<std::string> valid_metrics{"bleu", "chrf", "ce-mean-words", "perplexity"};
  std::string tokenize;
  int64_t valid_beam_size = 1, valid_mini_batch = 64;
  std::vector<int64_t> valid_print{0, 1, 2};
};

// The run folder, and what begins in it.
struct SavingOptions {
  std::string model, resume = "auto", pretrained_model, extend_vocab;
  TrainingLength save_freq = TrainingLength{1, TrainingLength::Unit::epochs};
  int64_t keep_last = 10, keep_best = 1;
  bool no_optimizer_reload = false, overwrite = false;
};

// What is shown and written down.
struct LoggingOptions {
  TrainingLength disp_freq = TrainingLength{50, TrainingLength::Unit::updates};
  int64_t disp_first = 5;
  std::string log, log_format = "auto", output = "report.html";
  bool report = true;
  std::vector<std::string> runs;
};

// What decides about bits and memory.
struct NumericsOptions {
  int64_t seed = 1, workspace = 0;
  bool bf16 = false, fp16 = false, throw_on_divergence = false, rollback = false;
  bool gradient_checkpointing = false, print_model = false;
};

// Several processes.
struct ProcessOptions {
  bool shard_optimizer = false;
  double collective_timeout = 600;
};

// A training's options are those of its model and more.
struct TrainingOptions : Configuration, ModelSettings {
  TrainingOptions() : Configuration("xformer-train") { compute.precision = "float32"; }

  std::string task = "transformer-tiny";
  DataOptions data;
  RegularisationOptions regularisation;
  BatchOptions batches;
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  StoppingOptions stopping;
  ValidationOptions validation;
  SavingOptions saving;
  LoggingOptions logging;
  NumericsOptions numerics;
  ComputeOptions compute;
  ProcessOptions processes;
};
void list_options(TrainingOptions& o, OptionList& add);
void list_compute(ComputeOptions& o, OptionList& add);  // device and threads
void list_threads(ComputeOptions& o, OptionList& add);

// Of --normalize: the longest translation to this power is a double still.
inline constexpr double kLargestPower = 50;
// No batch comes near it; beyond, sizes of pools of batches would be counted in more than 64 bits.
inline constexpr double kLargestBatch = 1e8;

// Error usage for sizes and positions that no model has together.
void check_model(const ModelOptions& options);

std::string to_toml(const ModelSettings& settings);
// `name` stands for the file in messages. Error usage for what is wrong in it, and as check_model()
// has it.
ModelSettings model_settings_from_toml(const std::string& text, const std::string& name);

}  // namespace xf::tools
