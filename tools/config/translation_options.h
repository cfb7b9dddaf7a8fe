// The configurations of xformer-translate, xformer-generate and xformer-classify.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/config/option_list.h"
#include "tools/config/shared_options.h"

namespace xf::tools {

// xformer-translate
struct TranslationOptions : Configuration {
  TranslationOptions() : Configuration(Program::translate) {}

  std::vector<std::string> model;
  std::vector<double> weights;
  std::string input = "-";
  std::string output = "-";
  std::optional<int64_t> beam_size;
  std::optional<double> normalize;
  double word_penalty = 0;
  int64_t no_repeat_ngram_size = 0;
  bool force_decode = false;
  std::vector<std::string> output_sampling;
  int64_t seed = 1;
  bool n_best = false;
  bool word_scores = false;
  std::string alignment;
  std::optional<int64_t> alignment_layer;
  double max_length_factor = 3;
  int64_t max_length = 256;
  bool allow_unk = false;
  bool no_spm_encode = false;
  bool no_spm_decode = false;
  bool interactive = false;
  bool continue_ = false;
  int64_t stat_freq = 0;
  std::string teacher_forced;
  std::string output_format = "plain";
  std::optional<int64_t> num_examples;
  int64_t mini_batch = 128;
  ComputeOptions compute;
};

// xformer-generate
struct GenerationOptions : Configuration {
  GenerationOptions() : Configuration(Program::generate) {}

  std::string model;
  std::string input;
  std::string output = "-";
  int64_t samples = 1;
  double temperature = 1;
  int64_t top_k = 0;
  double top_p = 1;
  int64_t max_length = 100;
  int64_t seed = 1;
  int64_t mini_batch = 64;
  ComputeOptions compute;
};

// xformer-classify
struct ClassificationOptions : Configuration {
  ClassificationOptions() : Configuration(Program::classify) {}

  std::string model;
  std::string input = "-";
  std::string output = "-";
  bool all_classes = false;
  int64_t mini_batch = 256;
  ComputeOptions compute;
};

void list_options(TranslationOptions& o, OptionList& list);
void list_options(GenerationOptions& o, OptionList& list);
void list_options(ClassificationOptions& o, OptionList& list);

}  // namespace xf::tools
