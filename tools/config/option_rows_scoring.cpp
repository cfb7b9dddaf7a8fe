#include "tools/config/option_rows.h"

namespace xf::tools {
namespace {

constexpr Programs kScore = Program::score;
constexpr Programs kMeasuring = Program::score_lm;
constexpr Programs kTable = Program::score_table;
constexpr Programs kSmiles = Program::score_smiles;

std::vector<Row> score_options() {
  return {
      text("references", "", "METRIC REF...",
           "bleu, chrf, ter or compat-bleu, then one or more reference files")
          .alias("--ref")
          .any_number()
          .bare()
          .keeps(Keep::never),
      text("input", "-", "HYP...", "translations to score, a file for each system; -: standard input")
          .alias("-i")
          .any_number()
          .keeps(Keep::never),
      integer("num-refs", "1", "N", "references in one file, apart by tabs").between(1, 1000).alias("-nr"),
      text("encoding", "utf-8", "NAME", "of the files: latin-1, cp1252, utf-16, ...").alias("-e"),
      text("language-pair", "", "SRC-TRG",
           "chooses the tokenizer for its target language where --tokenize is not given: zh for Chinese")
          .alias("-l"),
      choice("metrics", "bleu|chrf|ter|compat-bleu", "", "the metrics, if not the first argument")
          .value("NAME...")
          .alias("-m")
          .up_to(4),
      flag("lowercase", "false", "ignore case; TER does so anyway").alias("-lc"),
      flag("sentence-level", "false", "a score for each line").alias("-sl"),
      integer("mini-batch", "128", "N",
              "compat-bleu: sentences whose scores are averaged before the batches are")
          .between(1, kLargestBatch),
      flag("score-only", "false", "the number alone").alias("-b"),
      integer("width", "1", "N", "digits behind the decimal point").between(0, 17).alias("-w"),
      choice("format", "text|json", "text",
             "form of the output; the environment's SACREBLEU_FORMAT changes the default")
          .alias("-f"),
      flag("short", "false", "short signature").alias("-sh"),
      flag("no-color", "false", "sacreBLEU's; nothing is coloured here").alias("-nc").seldom(),
  };
}

std::vector<Row> bleu_options() {
  return {
      choice("tokenize", "13a|intl|char|zh|none", "13a", "how a line is cut into tokens").alias("-tok"),
      choice("smooth-method", "exp|floor|add-k|none", "exp", "smoothing of orders without a match")
          .alias("-s"),
      real("smooth-value", "", "X", "of floor (0.1 if not given) and add-k (1)").between(0, 1e6).alias("-sv"),
      flag("force", "false", "no warning of lines that look tokenized"),
  };
}

std::vector<Row> chrf_options() {
  return {
      integer("chrf-char-order", "6", "N", "longest n-gram of characters").between(1, 100).alias("-cc"),
      integer("chrf-word-order", "0", "N", "longest n-gram of words; 2 is chrF++")
          .between(0, 100)
          .alias("-cw"),
      integer("chrf-beta", "2", "N", "how much more recall counts than precision").between(0, 100),
      flag("chrf-lowercase", "false", "ignore case in chrF alone"),
      flag("chrf-whitespace", "false", "white space is part of the n-grams of characters"),
      flag("chrf-eps-smoothing", "false", "the mean of every order's F, as in NLTK and Moses"),
  };
}

std::vector<Row> ter_options() {
  return {
      flag("ter-case-sensitive", "false", "heed case, whatever --lowercase says"),
      flag("ter-normalized", "false", "separate punctuation and decode &amp; and the like first"),
      flag("ter-no-punct", "false", "remove punctuation first"),
      flag("ter-asian-support", "false",
           "with the two above: ideographs by themselves, East Asian punctuation like ours"),
  };
}

std::vector<Row> significance_options() {
  return {
      flag("confidence", "false", "of one system: a 95% interval, by bootstrap resampling").alias("-ci"),
      integer("confidence-n", "1000", "N", "resamples for it").between(2, 1e7).alias("-cin"),
      flag("paired-bs", "false", "is each system unlike the first one? by bootstrap resampling")
          .alias("-pbs"),
      integer("paired-bs-n", "1000", "N", "resamples for it").between(1, 1e7).alias("-pbsn"),
      flag("paired-ar", "false", "the same question, by approximate randomisation").alias("-par"),
      integer("paired-ar-n", "10000", "N", "trials for it").between(1, 1e7).alias("-parn"),
      integer("paired-jobs", "1", "N", "sacreBLEU's workers; one does the work here, with the same result")
          .between(0, 1024)
          .alias("-j")
          .seldom(),
  };
}

std::vector<Row> measuring_options() {
  return {
      text("model", "", "DIR", kRunHelp).alias("-m"),
      text("text", "", "SRC TRG", "the text; of a language model: FILE; of a classifier: TEXT LABELS")
          .alias("-t")
          .up_to(2),
      flag("tsv", "false", "the text is one file of lines SRC TAB TRG, or TEXT TAB LABEL"),
      integer("mini-batch-words", "4096", "N", "target tokens of a batch").between(8, kLargestBatch),
      choice("precision", "float32|tf32|bfloat16", "float32",
             "of weights and activations; tf32: float32, but for CUDA's products"),
  };
}

std::vector<Row> table_options() {
  return {
      text("input", "", "RUN...", "run folders of xformer-train").any_number().bare().keeps(Keep::never),
      text("metrics", "", "NAME...", "of --valid-metrics; default: the one that chose the best checkpoint")
          .alias("-m")
          .any_number(),
      choice("format", "text|markdown", "text", "form of the output").alias("-f"),
  };
}

std::vector<Row> smiles_options() {
  return {
      text("input", "-", "FILE", "a SMILES string a line; -: standard input").alias("-i").bare(),
      text("train", "", "FILE", "strings of known molecules: how many of the input's are not among them"),
      text("faults", "", "FILE", "where to write the lines that are not valid or not read: number, tab, why"),
  };
}

}  // namespace

OptionGroup scoring_options() {
  return {{"scoring", kScore, Keep::free, score_options()},
          {"BLEU", kScore, Keep::free, bleu_options()},
          {"chrF", kScore, Keep::free, chrf_options()},
          {"TER", kScore, Keep::free, ter_options()},
          {"significance; the environment's SACREBLEU_SEED changes what is drawn", kScore, Keep::free,
           significance_options()},
          {"the loss of a model", kMeasuring, Keep::free, measuring_options()},
          {"results", kTable, Keep::free, table_options()},
          {"molecules", kSmiles, Keep::free, smiles_options()}};
}

}  // namespace xf::tools
