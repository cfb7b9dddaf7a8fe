// The configurations of xformer-vocab's commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/config/option_list.h"
#include "tools/config/shared_options.h"

namespace xf::tools {

// xformer-vocab train
struct VocabularyOptions : Configuration {
  VocabularyOptions() : Configuration(Program::vocab_train) {
    text.tokenizer = "spm";
    text.vocab_size = 10000;
  }

  std::vector<std::string> input;
  bool tsv = false;
  std::string model;
  double character_coverage = 1;
  bool overwrite = false;
  TextOptions text;
};

// xformer-vocab encode, and decode
struct CodeOptions : Configuration {
  explicit CodeOptions(Program its_program) : Configuration(its_program) {
    side = its_program == Program::vocab_decode ? "target" : "source";
  }

  std::string model;
  std::string input = "-";
  std::string output = "-";
  std::string format = "piece";
  std::string side;
  bool lowercase = false;
};

// xformer-vocab check, and stats
struct CheckOptions : Configuration {
  explicit CheckOptions(Program its_program) : Configuration(its_program) {}

  std::vector<std::string> input;
  bool tsv = false;
  std::vector<std::string> model;
  int64_t max_length = 100;
  bool lowercase = false;
};

// xformer-vocab field
struct FieldOptions : Configuration {
  FieldOptions() : Configuration(Program::vocab_field) {
    text.tokenizer = "whitespace";
    text.min_freq = 1;
  }

  std::vector<std::string> input;
  int64_t num_examples = 3;
  std::string format = "piece";
  bool sequential = true;
  bool use_vocab = true;
  int64_t max_size = 0;
  std::vector<std::string> stop_words;
  std::string unk_token = "<unk>";
  std::string pad_token = "<pad>";
  std::string init_token = "none";
  std::string eos_token = "none";
  std::optional<int64_t> fix_length;
  bool pad_first = false;
  bool truncate_first = false;
  bool include_lengths = false;
  bool batch_first = false;
  TextOptions text;
};

// xformer-vocab batches
struct PaddingOptions : Configuration {
  PaddingOptions() : Configuration(Program::vocab_batches) {}

  std::vector<std::string> input;
  std::vector<std::string> model;
  int64_t mini_batch = 128;
  std::optional<int64_t> mini_batch_words;
  int64_t maxi_batch = 100;
  std::string maxi_batch_sort = "both";
  std::string shuffle = "data";
  int64_t seed = 1;
  bool lowercase = false;
};

// xformer-vocab demo-corpus
struct DemoCorpusOptions : Configuration {
  DemoCorpusOptions() : Configuration(Program::vocab_demo_corpus) {}

  std::string output;
  int64_t seed = 1;
  bool overwrite = false;
  int64_t pairs = 20000;
};

// xformer-vocab demo-molecules
struct DemoMoleculesOptions : Configuration {
  DemoMoleculesOptions() : Configuration(Program::vocab_demo_molecules) {}

  std::string output;
  int64_t seed = 1;
  bool overwrite = false;
};

void list_options(VocabularyOptions& o, OptionList& list);
void list_options(CodeOptions& o, OptionList& list);
void list_options(CheckOptions& o, OptionList& list);
void list_options(FieldOptions& o, OptionList& list);
void list_options(PaddingOptions& o, OptionList& list);
void list_options(DemoCorpusOptions& o, OptionList& list);
void list_options(DemoMoleculesOptions& o, OptionList& list);

}  // namespace xf::tools
