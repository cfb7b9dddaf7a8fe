// The configurations of xformer-score and its commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/config/option_list.h"
#include "tools/config/shared_options.h"

namespace xf::tools {

// xformer-score
struct ScoringOptions : Configuration {
  ScoringOptions() : Configuration(Program::score) {}

  std::vector<std::string> references;
  std::vector<std::string> input{"-"};
  int64_t num_refs = 1;
  std::string encoding = "utf-8";
  std::string language_pair;
  std::vector<std::string> metrics;
  bool lowercase = false;
  bool sentence_level = false;
  int64_t mini_batch = 128;
  bool score_only = false;
  int64_t width = 1;
  std::string format = "text";
  bool short_ = false;
  bool no_color = false;
  std::string tokenize = "13a";
  std::string smooth_method = "exp";
  std::optional<double> smooth_value;
  bool force = false;
  int64_t chrf_char_order = 6;
  int64_t chrf_word_order = 0;
  int64_t chrf_beta = 2;
  bool chrf_lowercase = false;
  bool chrf_whitespace = false;
  bool chrf_eps_smoothing = false;
  bool ter_case_sensitive = false;
  bool ter_normalized = false;
  bool ter_no_punct = false;
  bool ter_asian_support = false;
  bool confidence = false;
  int64_t confidence_n = 1000;
  bool paired_bs = false;
  int64_t paired_bs_n = 1000;
  bool paired_ar = false;
  int64_t paired_ar_n = 10000;
  int64_t paired_jobs = 1;
};

// xformer-score lm
struct LossOptions : Configuration {
  LossOptions() : Configuration(Program::score_lm) { compute.precision = "float32"; }

  std::string model;
  std::vector<std::string> text;
  bool tsv = false;
  int64_t mini_batch_words = 4096;
  ComputeOptions compute;
};

// xformer-score table
struct ResultsOptions : Configuration {
  ResultsOptions() : Configuration(Program::score_table) {}

  std::vector<std::string> input;
  std::vector<std::string> metrics;
  std::string format = "text";
};

// xformer-score smiles
struct MoleculeOptions : Configuration {
  MoleculeOptions() : Configuration(Program::score_smiles) {}

  std::string input = "-";
  std::string train;
  std::string faults;
};

void list_options(ScoringOptions& o, OptionList& list);
void list_options(LossOptions& o, OptionList& list);
void list_options(ResultsOptions& o, OptionList& list);
void list_options(MoleculeOptions& o, OptionList& list);

}  // namespace xf::tools
