#include "tools/config/scoring_options.h"

namespace xf::tools {

void list_options(ScoringOptions& o, OptionList& list) {
  list.group("scoring");
  list.add(o.references, "references", "METRIC REF...",
           "bleu, chrf, ter or compat-bleu, then one or more reference files")
      .alias("--ref")
      .any_number()
      .bare()
      .keeps(Keep::never);
  list.add(o.input, "input", "HYP...", "translations to score, a file for each system; -: standard input")
      .alias("-i")
      .any_number()
      .keeps(Keep::never);
  list.add(o.num_refs, "num-refs", "N", "references in one file, apart by tabs")
      .alias("-nr")
      .between(1, 1000);
  list.add(o.encoding, "encoding", "NAME", "of the files: latin-1, cp1252, utf-16, ...").alias("-e");
  list.add(o.language_pair, "language-pair", "SRC-TRG",
           "chooses the tokenizer for its target language where --tokenize is not given: zh for Chinese")
      .alias("-l");
  list.add_choice(o.metrics, "metrics", "bleu|chrf|ter|compat-bleu", "the metrics, if not the first argument")
      .value("NAME...")
      .alias("-m")
      .up_to(4);
  list.add(o.lowercase, "lowercase", "ignore case; TER does so anyway").alias("-lc");
  list.add(o.sentence_level, "sentence-level", "a score for each line").alias("-sl");
  list.add(o.mini_batch, "mini-batch", "N",
           "compat-bleu: sentences whose scores are averaged before the batches are")
      .between(1, kLargestBatch);
  list.add(o.score_only, "score-only", "the number alone").alias("-b");
  list.add(o.width, "width", "N", "digits behind the decimal point").alias("-w").between(0, 17);
  list.add_choice(o.format, "format", "text|json",
                  "form of the output; the environment's SACREBLEU_FORMAT changes the default")
      .alias("-f");
  list.add(o.short_, "short", "short signature").alias("-sh");
  list.add(o.no_color, "no-color", "sacreBLEU's; nothing is coloured here").alias("-nc").seldom();
  list.group("BLEU");
  list.add_choice(o.tokenize, "tokenize", "13a|intl|char|zh|none", "how a line is cut into tokens")
      .alias("-tok");
  list.add_choice(o.smooth_method, "smooth-method", "exp|floor|add-k|none",
                  "smoothing of orders without a match")
      .alias("-s");
  list.add(o.smooth_value, "smooth-value", "X", "of floor (0.1 if not given) and add-k (1)")
      .alias("-sv")
      .between(0, 1e6);
  list.add(o.force, "force", "no warning of lines that look tokenized");
  list.group("chrF");
  list.add(o.chrf_char_order, "chrf-char-order", "N", "longest n-gram of characters")
      .alias("-cc")
      .between(1, 100);
  list.add(o.chrf_word_order, "chrf-word-order", "N", "longest n-gram of words; 2 is chrF++")
      .alias("-cw")
      .between(0, 100);
  list.add(o.chrf_beta, "chrf-beta", "N", "how much more recall counts than precision").between(0, 100);
  list.add(o.chrf_lowercase, "chrf-lowercase", "ignore case in chrF alone");
  list.add(o.chrf_whitespace, "chrf-whitespace", "white space is part of the n-grams of characters");
  list.add(o.chrf_eps_smoothing, "chrf-eps-smoothing", "the mean of every order's F, as in NLTK and Moses");
  list.group("TER");
  list.add(o.ter_case_sensitive, "ter-case-sensitive", "heed case, whatever --lowercase says");
  list.add(o.ter_normalized, "ter-normalized", "separate punctuation and decode &amp; and the like first");
  list.add(o.ter_no_punct, "ter-no-punct", "remove punctuation first");
  list.add(o.ter_asian_support, "ter-asian-support",
           "with the two above: ideographs by themselves, East Asian punctuation like ours");
  list.group("significance; the environment's SACREBLEU_SEED changes what is drawn");
  list.add(o.confidence, "confidence", "of one system: a 95% interval, by bootstrap resampling").alias("-ci");
  list.add(o.confidence_n, "confidence-n", "N", "resamples for it").alias("-cin").between(2, 1e7);
  list.add(o.paired_bs, "paired-bs", "is each system unlike the first one? by bootstrap resampling")
      .alias("-pbs");
  list.add(o.paired_bs_n, "paired-bs-n", "N", "resamples for it").alias("-pbsn").between(1, 1e7);
  list.add(o.paired_ar, "paired-ar", "the same question, by approximate randomisation").alias("-par");
  list.add(o.paired_ar_n, "paired-ar-n", "N", "trials for it").alias("-parn").between(1, 1e7);
  list.add(o.paired_jobs, "paired-jobs", "N",
           "sacreBLEU's workers; one does the work here, with the same result")
      .alias("-j")
      .between(0, 1024)
      .seldom();
}

void list_options(LossOptions& o, OptionList& list) {
  list.group("the loss of a model");
  list.add(o.model, "model", "DIR", kRunHelp).alias("-m");
  list.add(o.text, "text", "SRC TRG", "the text; of a language model: FILE; of a classifier: TEXT LABELS")
      .alias("-t")
      .up_to(2);
  list.add(o.tsv, "tsv", "the text is one file of lines SRC TAB TRG, or TEXT TAB LABEL");
  list.add(o.mini_batch_words, "mini-batch-words", "N", "target tokens of a batch").between(8, 1e8);
  list.add_choice(o.compute.precision, "precision", "float32|tf32|bfloat16",
                  "of weights and activations; tf32: float32, but for CUDA's products");
  list.group("general");
  list_compute(o.compute, list);
}

void list_options(ResultsOptions& o, OptionList& list) {
  list.group("results");
  list.add(o.input, "input", "RUN...", "run folders of xformer-train").any_number().bare().keeps(Keep::never);
  list.add(o.metrics, "metrics", "NAME...",
           "of --valid-metrics; default: the one that chose the best checkpoint")
      .alias("-m")
      .any_number();
  list.add_choice(o.format, "format", "text|markdown", "form of the output").alias("-f");
}

void list_options(MoleculeOptions& o, OptionList& list) {
  list.group("molecules");
  list.add(o.input, "input", "FILE", "a SMILES string a line; -: standard input").alias("-i").bare();
  list.add(o.train, "train", "FILE",
           "strings of known molecules: how many of the input's are not among them");
  list.add(o.faults, "faults", "FILE",
           "where to write the lines that are not valid or not read: number, tab, why");
}

}  // namespace xf::tools
