// The configurations of every program but xformer-train, and of their commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/config/training_options.h"

namespace xf::tools {

struct TranslationOptions : Configuration {
  TranslationOptions() : Configuration("xformer-translate") {}
  std::vector<std::string> model, output_sampling;
  std::vector<double> weights;
  std::string input = "-", output = "-", alignment, teacher_forced, output_format = "plain";
  std::optional<int64_t> beam_size, alignment_layer, num_examples;
  std::optional<double> normalize;
  double word_penalty = 0, max_length_factor = 3;
  int64_t no_repeat_ngram_size = 0, seed = 1, max_length = 256, stat_freq = 0, mini_batch = 128;
  bool force_decode = false, n_best = false, word_scores = false, allow_unk = false, no_spm_encode = false,
       no_spm_decode = false, interactive = false, continue_ = false;
  ComputeOptions compute;
};
void list_options(TranslationOptions& o, OptionList& add);

struct GenerationOptions : Configuration {
  GenerationOptions() : Configuration("xformer-generate") {}
  std::string model, input, output = "-";
  int64_t samples = 1, top_k = 0, max_length = 100, seed = 1, mini_batch = 64;
  double temperature = 1, top_p = 1;
  ComputeOptions compute;
};
void list_options(GenerationOptions& o, OptionList& add);

struct ClassificationOptions : Configuration {
  ClassificationOptions() : Configuration("xformer-classify") {}
  std::string model, input = "-", output = "-";
  bool all_classes = false;
  int64_t mini_batch = 256;
  ComputeOptions compute;
};
void list_options(ClassificationOptions& o, OptionList& add);

struct ScoringOptions : Configuration {
  ScoringOptions() : Configuration("xformer-score") {}
  std::vector<std::string> references, input{"-"}, metrics;
  int64_t num_refs = 1, mini_batch = 128, width = 1, chrf_char_order = 6, chrf_word_order = 0, chrf_beta = 2,
          confidence_n = 1000, paired_bs_n = 1000, paired_ar_n = 10000, paired_jobs = 1;
  std::string encoding = "utf-8", language_pair, format = "text", tokenize = "13a", smooth_method = "exp";
  bool lowercase = false, sentence_level = false, score_only = false, short_ = false, no_color = false,
       force = false, chrf_lowercase = false, chrf_whitespace = false, chrf_eps_smoothing = false,
       ter_case_sensitive = false, ter_normalized = false, ter_no_punct = false, ter_asian_support = false,
       confidence = false, paired_bs = false, paired_ar = false;
  std::optional<double> smooth_value;
};
void list_options(ScoringOptions& o, OptionList& add);

struct LossOptions : Configuration {
  LossOptions() : Configuration("xformer-score lm") { compute.precision = "float32"; }
  std::string model;
  std::vector<std::string> text;
  bool tsv = false;
  int64_t mini_batch_words = 4096;
  ComputeOptions compute;
};
void list_options(LossOptions& o, OptionList& add);

struct ResultsOptions : Configuration {
  ResultsOptions() : Configuration("xformer-score table") {}
  std::vector<std::string> input, metrics;
  std::string format = "text";
};
void list_options(ResultsOptions& o, OptionList& add);

struct MoleculeOptions : Configuration {
  MoleculeOptions() : Configuration("xformer-score smiles") {}
  std::string input = "-", train, faults;
};
void list_options(MoleculeOptions& o, OptionList& add);

struct AverageOptions : Configuration {
  AverageOptions() : Configuration("xformer-export average") {}
  std::string model, output;
  std::optional<int64_t> last, best;
  std::vector<std::string> checkpoints;
  bool overwrite = false;
};
void list_options(AverageOptions& o, OptionList& add);

struct QuantizeOptions : Configuration {
  QuantizeOptions() : Configuration("xformer-export quantize") {}
  std::string model, output;
  bool overwrite = false;
};
void list_options(QuantizeOptions& o, OptionList& add);

struct InspectOptions : Configuration {
  InspectOptions() : Configuration("xformer-export inspect") {}
  std::string model, format = "text";
};
void list_options(InspectOptions& o, OptionList& add);

struct DiffOptions : Configuration {
  DiffOptions() : Configuration("xformer-export diff") {}
  std::vector<std::string> models;
  double tolerance = 0;
  std::string format = "text";
};
void list_options(DiffOptions& o, OptionList& add);

struct ExportOptions : Configuration {
  ExportOptions() : Configuration("xformer-export to") {}
  std::string format, model, output, quantization = "float32";
  bool overwrite = false, verify = false;
};
void list_options(ExportOptions& o, OptionList& add);

struct VocabularyOptions : Configuration {
  VocabularyOptions() : Configuration("xformer-vocab train") {
    text.tokenizer = "spm";
    text.vocab_size = 10000;
  }
  std::vector<std::string> input;
  bool tsv = false, overwrite = false;
  std::string model;
  double character_coverage = 1;
  TextOptions text;
};
void list_options(VocabularyOptions& o, OptionList& add);

// xformer-vocab encode, and decode
struct CodeOptions : Configuration {
  explicit CodeOptions(std::string_view its_program) : Configuration(its_program) {
    side = its_program == "xformer-vocab decode" ? "target" : "source";
  }
  std::string model, input = "-", output = "-", format = "piece", side;
  bool lowercase = false;
};
void list_options(CodeOptions& o, OptionList& add);

// xformer-vocab check, and stats
struct CheckOptions : Configuration {
  explicit CheckOptions(std::string_view its_program) : Configuration(its_program) {}
  std::vector<std::string> input, model;
  bool tsv = false, lowercase = false;
  int64_t max_length = 100;
};
void list_options(CheckOptions& o, OptionList& add);

struct FieldOptions : Configuration {
  FieldOptions() : Configuration("xformer-vocab field") {
    text.tokenizer = "whitespace";
    text.min_freq = 1;
  }
  std::vector<std::string> input, stop_words;
  int64_t num_examples = 3, max_size = 0;
  std::string format = "piece", unk_token = "<unk>", pad_token = "<pad>", init_token = "none",
              eos_token = "none";
  bool sequential = true, use_vocab = true, pad_first = false, truncate_first = false,
       include_lengths = false, batch_first = false;
  std::optional<int64_t> fix_length;
  TextOptions text;
};
void list_options(FieldOptions& o, OptionList& add);

struct PaddingOptions : Configuration {
  PaddingOptions() : Configuration("xformer-vocab batches") {}
  std::vector<std::string> input, model;
  int64_t mini_batch = 128, maxi_batch = 100, seed = 1;
  std::optional<int64_t> mini_batch_words;
  std::string maxi_batch_sort = "both", shuffle = "data";
  bool lowercase = false;
};
void list_options(PaddingOptions& o, OptionList& add);

struct DemoCorpusOptions : Configuration {
  DemoCorpusOptions() : Configuration("xformer-vocab demo-corpus") {}
  std::string output;
  int64_t seed = 1, pairs = 20000;
  bool overwrite = false;
};
void list_options(DemoCorpusOptions& o, OptionList& add);

struct DemoMoleculesOptions : Configuration {
  DemoMoleculesOptions() : Configuration("xformer-vocab demo-molecules") {}
  std::string output;
  int64_t seed = 1;
  bool overwrite = false;
};
void list_options(DemoMoleculesOptions& o, OptionList& add);

// What a command shows, and where.
struct PageOptions : Configuration {
  using Configuration::Configuration;
  std::string format = "text", output = "-";
};
// Sets --format to what --output's ending promises, unless it was given. Error usage if the command
// does not have that format, and if what was given is another one.
void take_format_of_output(OptionList list);
// "svg" of page.SVG, "html" of page.htm; "" of an ending that promises no format: none, .txt, .log,
// a language's.
std::string format_of_ending(const std::string& path);
// Error usage if the ending promises another format than the one that is written.
void check_ending(const std::string& path, const std::string& format);

struct OpOptions : PageOptions {
  OpOptions() : PageOptions("xformer-explain op") {}
  std::string op, x, dy;
  std::vector<std::string> with;
};
void list_options(OpOptions& o, OptionList& add);

struct StepsOptions : PageOptions {
  StepsOptions() : PageOptions("xformer-explain steps") {}
  std::string task = "tutorials/by-hand", step;
};
void list_options(StepsOptions& o, OptionList& add);

struct MasksOptions : PageOptions {
  MasksOptions() : PageOptions("xformer-explain masks") {}
  std::string source, target, pad = "<pad>";
};
void list_options(MasksOptions& o, OptionList& add);

struct PositionsOptions : PageOptions {
  PositionsOptions() : PageOptions("xformer-explain positions") {}
  int64_t length = 50, dim = 64;
  std::string layout = "interleaved";
  std::vector<int64_t> columns;
};
void list_options(PositionsOptions& o, OptionList& add);

struct AttentionOptions : PageOptions {
  AttentionOptions() : PageOptions("xformer-explain attention") {}
  std::vector<std::string> sentence;
  std::string model, target, part = "all", layer = "all", head = "all", focus;
  ComputeOptions compute;
};
void list_options(AttentionOptions& o, OptionList& add);

struct FlowOptions : PageOptions {
  FlowOptions() : PageOptions("xformer-explain flow") { format = "svg"; }
  std::vector<std::string> subject;
  std::string model;
  ComputeOptions compute;
};
void list_options(FlowOptions& o, OptionList& add);

// A model and a sentence pair, or none of them: a micro-model and its own.
struct PairOptions : PageOptions {
  using PageOptions::PageOptions;
  std::string source, target, model;
  ComputeOptions compute;
};

struct TapeOptions : PairOptions {
  TapeOptions() : PairOptions("xformer-explain tape") {}
};
void list_options(TapeOptions& o, OptionList& add);

struct GradientsOptions : PairOptions {
  GradientsOptions() : PairOptions("xformer-explain gradients") {}
  bool check = false;
  int64_t samples = 4, seed = 1;
};
void list_options(GradientsOptions& o, OptionList& add);

struct BeamOptions : PageOptions {
  BeamOptions() : PageOptions("xformer-explain beam") {}
  std::string source, model;
  std::optional<int64_t> beam_size;
  std::optional<double> normalize;
  ComputeOptions compute;
};
void list_options(BeamOptions& o, OptionList& add);

struct LogitsOptions : PageOptions {
  LogitsOptions() : PageOptions("xformer-explain logits") {}
  std::string source, model, target;
  int64_t top = 5;
  std::optional<int64_t> position;
  ComputeOptions compute;
};
void list_options(LogitsOptions& o, OptionList& add);

struct QuirkOptions : PageOptions {
  QuirkOptions() : PageOptions("xformer-explain quirk") {}
  std::string quirk;
};
void list_options(QuirkOptions& o, OptionList& add);

struct BenchOptions : Configuration {
  BenchOptions() : Configuration("xformer-bench") {}
  std::string fn, shape, preset = "tiny", dtype = "f32", device = "cpu", baseline = "none", kernel,
                         format = "table", label, against, compare, fail_if_regression, turns, end_to_end,
                         model, input, data;
  int64_t threads = 0, samples = 0, beam = 5, mini_batch = 128, updates = 300;
  bool warm = false, check = false, check_only = false, list = false, count_launches = false,
       kernel_header = false, roofline = false, add = false, scaling = false;
  double inject_slowdown = 0, kernel_limit = 60;
};
void list_options(BenchOptions& o, OptionList& add);

struct BenchReportOptions : Configuration {
  BenchReportOptions() : Configuration("xformer-bench report") {}
  std::vector<std::string> results;
  std::string output = "report.html";
  bool markdown = false;
};
void list_options(BenchReportOptions& o, OptionList& add);

}  // namespace xf::tools
