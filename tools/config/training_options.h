// The configuration of xformer-train, which is also what a run and each of its checkpoints keep (training.toml).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/config/model_settings.h"
#include "tools/config/option_list.h"
#include "tools/config/shared_options.h"

namespace xf::tools {

// Which text is read.
struct DataOptions {
  std::vector<std::string> train_sets;
  std::vector<std::string> valid_sets;
  std::vector<std::string> test_sets;
  std::vector<double> train_weights;
  std::string cache;
  bool cache_of_others = false;
  bool tsv = false;
  std::vector<std::string> vocabs;
  bool allow_unknown = false;
  int64_t spm_input_sentences = 1000000;
  std::vector<int64_t> vocab_sizes;
  bool max_length_crop = false;
};

// What keeps it from learning its text by heart.
struct RegularisationOptions {
  double dropout_src = 0;
  double dropout_trg = 0;
  double bpe_dropout = 0;
  double r_drop = 0;
  Amount r_drop_after = Amount{0, AmountUnit::updates};
};

// How batches are cut.
struct BatchOptions {
  std::string shuffle = "data";
  int64_t bidirectional = 0;
  int64_t mini_batch_words = 0;
  int64_t mini_batch = 0;
  bool mini_batch_fit = false;
  int64_t maxi_batch = 0;
  std::string maxi_batch_sort = "both";
  int64_t optimizer_delay = 0;
};

// How an update is made.
struct OptimizerOptions {
  std::string optimizer;
  std::vector<double> optimizer_params;
  double weight_decay = 0;
  double exponential_smoothing = 0;
  std::vector<std::string> freeze;
  std::vector<std::string> learn_rate_of;
  double clip_norm = 0;
};

// The learning rate.
struct ScheduleOptions {
  double learn_rate = 0;
  std::string lr_schedule;
  Amount lr_warmup;
  double lr_decay = 0.9;
  int64_t lr_decay_patience = 10;
  int64_t lr_decay_start = 0;
};

// When training ends.
struct StoppingOptions {
  std::vector<Amount> after;
  int64_t early_stopping = 0;
  std::string early_stopping_on = "first";
  double early_stopping_epsilon = 0;
};

// What is measured on other text, and how often.
struct ValidationOptions {
  Amount valid_freq = Amount{1, AmountUnit::epochs};
  std::vector<std::string> valid_metrics{"bleu", "chrf", "ce-mean-words", "perplexity"};
  std::string tokenize;
  int64_t valid_beam_size = 1;
  int64_t valid_mini_batch = 64;
  std::vector<int64_t> valid_print{0, 1, 2};
};

// The run folder, and what begins in it.
struct SavingOptions {
  std::string model;
  Amount save_freq = Amount{1, AmountUnit::epochs};
  int64_t keep_last = 10;
  int64_t keep_best = 1;
  std::string resume = "auto";
  std::string pretrained_model;
  std::string extend_vocab;
  bool no_optimizer_reload = false;
  bool overwrite = false;
};

// What is shown and written down.
struct LoggingOptions {
  Amount disp_freq = Amount{50, AmountUnit::updates};
  int64_t disp_first = 5;
  std::string log;
  std::string log_format = "auto";
  bool report = true;
  std::vector<std::string> runs;
  std::string output = "report.html";
};

// What decides about bits and memory.
struct NumericsOptions {
  int64_t seed = 1;
  bool bf16 = false;
  bool fp16 = false;
  bool throw_on_divergence = false;
  bool rollback = false;
  int64_t workspace = 0;
  bool gradient_checkpointing = false;
  bool print_model = false;
};

// Several processes.
struct ProcessOptions {
  bool shard_optimizer = false;
  double collective_timeout = 600;
};

// A training's options are those of its model and more.
struct TrainingOptions : Configuration, ModelSettings {
  TrainingOptions() : Configuration(Program::train) { compute.precision = "float32"; }

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
void list_options(TrainingOptions& o, OptionList& list);

// What training has from a run or a model that its command names, where it does not say otherwise.
struct InheritedOptions {
  GivenOptions of_run, of_model;
  bool goes_on = false;  // with the run, or with a checkpoint
};
// Asked when the command line and the config file that it names have been read.
using Inherit =
    std::function<InheritedOptions(const GivenOptions& from_file, GivenOptions& from_command_line)>;

// Reads a command line (argv[0] is not looked at) and what it names: the command line goes before the config file (-c), that
// before what is inherited, and that before the preset (--task). The text that --help and the like ask for, and nothing of
// `options` is then set. Error usage for whatever is wrong.
std::optional<std::string> read_training_options(TrainingOptions& options, int argc, const char* const* argv,
                                                 const Inherit& inherit = {});
// The same; nothing if there is such a text, which is then on the standard output.
std::optional<TrainingOptions> parse_training_options(int argc, const char* const* argv,
                                                      const Inherit& inherit = {});

// From TOML alone: the training.toml of a run folder. `name` stands for the file in messages. Errors as above.
TrainingOptions training_options_from_toml(const std::string& text, const std::string& name);

}  // namespace xf::tools
