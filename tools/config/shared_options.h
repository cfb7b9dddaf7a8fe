// What the configurations of several programs have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/config/option_list.h"

namespace xf::tools {

// Of --normalize: the longest translation to this power is a double still.
inline constexpr double kLargestPower = 50;
// No batch comes near it; beyond, sizes of pools of batches would be counted in more than 64 bits.
inline constexpr double kLargestBatch = 1e8;

inline constexpr std::string_view kRunHelp =
    "run folder (its averaged model if there is one) or a checkpoint";

// How text is cut into tokens.
struct TextOptions {
  int64_t vocab_size = 0;
  bool joint_vocab = false;
  std::string tokenizer;
  std::vector<std::string> languages;
  int64_t min_freq = 2;
  int64_t max_length = 100;
  bool lowercase = false;
};

// Where to compute, and in what type.
struct ComputeOptions {
  std::string precision;
  std::string device = "auto";
  int64_t cpu_threads = 0;
};
void list_compute(ComputeOptions& o, OptionList& list);  // device and threads
void list_threads(ComputeOptions& o, OptionList& list);
void list_precision(ComputeOptions& o, OptionList& list);  // of a model that is used

// What a command shows, and where.
struct PageOptions : Configuration {
  using Configuration::Configuration;

  std::string format = "text";
  std::string output = "-";
};
void list_page(PageOptions& o, OptionList& list, std::string_view formats);

}  // namespace xf::tools
