#include "tools/config/program_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "core/error.h"
#include "data/unicode.h"
#include "tools/config/command_line.h"
#include "tools/config/config_file.h"

namespace xf::tools {

namespace {

constexpr std::string_view kRunHelp = "run folder (its averaged model if there is one) or a checkpoint";

// Of a model that is used.
void list_precision(ComputeOptions& o, OptionList& add) {
  add(o.precision, "precision", {one_of("float32|tf32|bfloat16|int8")},
      "data type of weights and activations; tf32: float32 with TF32 matrix products on CUDA; int8: the CPU "
      "rounds matrices and their inputs to 8 bits; default: int8 for a model of xformer-export quantize, "
      "else float32");
}

void list_page(PageOptions& o, OptionList& add, std::string_view formats) {
  add(o.format, "format -f", {one_of(formats)}, "output format; default: by the ending of the output file");
  add(o.output, "output -o FILE", "output file; -: standard output");
}

void list_general(ComputeOptions& o, OptionList& add) {
  add.group("general");
  list_compute(o, add);
}

void list_pair(PairOptions& o, OptionList& add) {
  add(o.source, "source SENTENCE", {bare}, "source sentence");
  add(o.target, "target SENTENCE", "target sentence, its translation");
  add(o.model, "model -m DIR", "run folder or checkpoint; default: a micro-model with random weights");
}

}  // namespace

std::string format_of_ending(const std::string& path) {
  static const std::map<std::string, std::string> known = {
      {"htm", "html"}, {"html", "html"}, {"json", "json"}, {"md", "markdown"}, {"svg", "svg"}, {"csv", "csv"},
      {"tsv", "tsv"},  {"yaml", "yaml"}, {"yml", "yaml"},  {"xml", "xml"},     {"pdf", "pdf"}, {"png", "png"},
      {"jpg", "jpeg"}, {"jpeg", "jpeg"}, {"gif", "gif"},   {"webp", "webp"},   {"eps", "eps"}, {"ps", "ps"}};
  const std::string ending = data::lower_case(std::filesystem::path(path).extension().string());
  const auto found = known.find(ending.empty() ? "" : ending.substr(1));
  return found == known.end() ? "" : found->second;
}

void check_ending(const std::string& path, const std::string& format) {
  const std::string promised = format_of_ending(path);
  if (promised.empty() || promised == format) return;
  fail(ErrorKind::usage, "--output {}: the file would hold {}, not {}; give it another ending", path, format,
       promised);
}

void take_format_of_output(OptionList list) {
  const std::string path = list.at("output").text(), promised = format_of_ending(path);
  if (promised.empty()) return;
  const Option& format = list.at("format");
  const auto formats = values_of(format);
  if (std::ranges::find(formats, promised) == formats.end()) {
    fail(ErrorKind::usage, "--output {}: {} has no format {}, it has {}; another ending, as .txt, takes text",
         path, list.program(), promised, fmt::join(formats, ", "));
  }
  if (list.is_given("format")) return check_ending(path, format.text());
  list.apply({{"format", {promised}, "--output"}}, OptionList::Origin::user);
}

// ---- translation

void list_options(TranslationOptions& o, OptionList& add) {
  add.summary("Translates text, line by line.\n\n  xformer-translate -m RUN -i FILE -o FILE\n");
  add.group("translation");
  add(o.model, "model -m --models DIR...", {up_to(16)},
      "run folder (its averaged model if there is one) or a checkpoint; several: an ensemble");
  add(o.weights, "weights W...", {between(0, 1e30), up_to(16), seldom},
      "weights of the models in an ensemble; default: equal");
  add(o.input, "input -i FILE", "text to translate; -: standard input");
  add(o.output, "output -o FILE", "translations, one per input line; -: standard output");
  add(o.beam_size, "beam-size -b N", {between(1, 64)},
      "beam size; 1: greedy search; default: as in training");
  add(o.normalize, "normalize -n A", {between(0, kLargestPower)},
      "length normalisation: hypotheses compare by log-probability / length^A, </s> counted; default: as in "
      "training");
  add(o.word_penalty, "word-penalty X", {between(-1000, 1000), seldom},
      "add X to the log-probability of a hypothesis for each word; above 0: longer translations");
  add(o.no_repeat_ngram_size, "no-repeat-ngram-size N", {between(0, 64), seldom},
      "forbid repeated n-grams of N pieces in a translation; 0: allow them");
  add(o.force_decode, "force-decode",
      "read lines of SOURCE TAB PREFIX, and begin each translation with its prefix; without a tab: a source "
      "alone");
  add(o.output_sampling, "output-sampling full|topk K|nucleus P [T]", {up_to(3)},
      "sample tokens instead of searching: from all, from the K most probable, or from the smallest set with "
      "probability P; T: temperature");
  add(o.seed, "seed N", {at_least(0)}, "random seed of --output-sampling");
  add(o.n_best, "n-best", "print all hypotheses: id ||| text ||| F0= log-probability ||| score");
  add(o.word_scores, "word-scores", {seldom},
      "append ||| WordScores= and the log-probability of each piece and of </s>");
  add(o.alignment, "alignment hard|soft|X",
      "append ||| and the alignment of target tokens to source tokens; hard: pairs s-t of the largest "
      "weight; soft: all weights; X: pairs of weight X or more, 1: as hard. Tokens are pieces and </s>, "
      "counted from 0");
  add(o.alignment_layer, "alignment-layer N", {at_least(0), seldom},
      "decoder layer, counted from 0, whose cross-attention (mean over heads) is the alignment; default: the "
      "last but one");
  add(o.max_length_factor, "max-length-factor X", {between(0, 1e6)},
      "maximum length of a translation: X times the source tokens, plus 10");
  add(o.max_length, "max-length N", {at_least(1)},
      "maximum length of a translation in tokens; a warning counts translations that were cut");
  add(o.allow_unk, "allow-unk", "allow <unk> in the output");
  add(o.no_spm_encode, "no-spm-encode", {seldom},
      "read input that is already split into pieces, separated by spaces");
  add(o.no_spm_decode, "no-spm-decode", {seldom}, "write pieces, separated by spaces");
  add(o.interactive, "interactive",
      "translate each line as it is typed: score, tab, translation; Ctrl-D ends");
  add(o.continue_, "continue",
      "resume after an interruption with the same command; until the end, translations are in "
      "OUTPUT.unfinished");
  add(o.stat_freq, "stat-freq N", {at_least(0), seldom},
      "report the number of lines and the speed every N lines; 0: never");
  add(o.teacher_forced, "teacher-forced REF",
      "no search: predict the most probable word at each position of REF, given the words before it");
  add(o.output_format, "output-format", {one_of("plain|tutorial"), formerly_values("seed=tutorial")},
      "output format of --teacher-forced; tutorial: source, target, prediction and BLEU as two tutorials "
      "print them");
  add(o.num_examples, "num-examples N", {at_least(0)},
      "pairs to print from each batch, with --output-format tutorial; default: all");
  add(o.mini_batch, "mini-batch N", {between(1, kLargestBatch)}, "sentences per batch");
  list_precision(o.compute, add);
  list_general(o.compute, add);
}

void list_options(GenerationOptions& o, OptionList& add) {
  add.summary(
      "Generates lines with a language model, token by token.\n\n"
      "  xformer-generate -m RUN --samples 5\n"
      "  echo 'two dogs' | xformer-generate -m RUN -i -\n");
  add.group("generation");
  add(o.model, "model -m DIR", kRunHelp);
  add(o.input, "input -i FILE",
      "prompts to continue, one per line; -: standard input; default: one empty prompt");
  add(o.output, "output -o FILE", "prompts with their continuations, one per line; -: standard output");
  add(o.samples, "samples N", {between(1, 1e9)}, "lines per prompt");
  add(o.temperature, "temperature X", {between(0, 1e6)},
      "sampling temperature; below 1: prefer probable tokens; 0: always take the most probable token");
  add(o.top_k, "top-k N", {at_least(0)}, "sample from the N most probable tokens; 0: from all");
  add(o.top_p, "top-p P", {between(0, 1)},
      "sample from the smallest set of these tokens with probability P; 1: from all");
  add(o.max_length, "max-length N", {between(1, 2048)},
      "maximum length of a line in tokens; a warning counts lines that were cut");
  add(o.seed, "seed N", {at_least(0)}, "random seed");
  add(o.mini_batch, "mini-batch N", {between(1, kLargestBatch)}, "lines per batch");
  list_precision(o.compute, add);
  list_general(o.compute, add);
}

void list_options(ClassificationOptions& o, OptionList& add) {
  add.summary(
      "Classifies each line of a text.\n\n"
      "  xformer-classify -m RUN -i FILE\n");
  add.group("classification");
  add(o.model, "model -m DIR", kRunHelp);
  add(o.input, "input -i FILE", "texts, one per line; -: standard input");
  add(o.output, "output -o FILE", "class, tab, probability of each line; -: standard output");
  add(o.all_classes, "all-classes", "print all classes, most probable first");
  add(o.mini_batch, "mini-batch N", {between(1, kLargestBatch)}, "texts per batch");
  list_precision(o.compute, add);
  list_general(o.compute, add);
}

// ---- scoring

void list_options(ScoringOptions& o, OptionList& add) {
  add.summary(
      "Scores translations with corpus BLEU, chrF and TER, digit for digit as sacreBLEU.\n\n"
      "  xformer-score bleu REF -i HYP\n"
      "  xformer-score REF -i FIRST SECOND -m bleu chrf --paired-bs\n"
      "  xformer-score lm --help        loss and perplexity of a model on a text\n"
      "  xformer-score table --help     runs compared in a table\n"
      "  xformer-score smiles --help    validity of generated molecules\n");
  add.group("scoring");
  add(o.references, "references --ref METRIC REF...", {any_number, bare, Persistence::never},
      "metric (bleu, chrf, ter or tutorial-bleu), then one or more reference files");
  add(o.input, "input -i HYP...", {any_number, Persistence::never},
      "translations to score, one file per system; -: standard input");
  add(o.num_refs, "num-refs -nr N", {between(1, 1000)},
      "references per line of the reference file, separated by tabs");
  add(o.encoding, "encoding -e NAME", "encoding of the files: latin-1, cp1252, utf-16, ...");
  add(o.language_pair, "language-pair -l SRC-TRG",
      "language pair, whose target language sets the default of --tokenize: zh for Chinese");
  add(o.metrics, "metrics -m NAME...",
      {one_of("bleu|chrf|ter|tutorial-bleu"), up_to(4), formerly_values("compat-bleu=tutorial-bleu")},
      "metrics to compute, if not the first argument");
  add(o.lowercase, "lowercase -lc", "ignore case; TER does so by default");
  add(o.sentence_level, "sentence-level -sl", "print a score for each line");
  add(o.mini_batch, "mini-batch N", {between(1, kLargestBatch)},
      "tutorial-bleu: sentences per batch; the score is the mean over batches of their mean");
  add(o.score_only, "score-only -b", "print the number only");
  add(o.width, "width -w N", {between(0, 17)}, "digits after the decimal point");
  add(o.format, "format -f", {one_of("text|json")},
      "output format; the environment variable SACREBLEU_FORMAT changes the default");
  add(o.short_, "short -sh", "print the short signature");
  add(o.no_color, "no-color -nc", {seldom}, "accepted for sacreBLEU; output has no colours");
  add.group("BLEU");
  add(o.tokenize, "tokenize -tok", {one_of("13a|intl|char|zh|none")}, "tokenizer of BLEU");
  add(o.smooth_method, "smooth-method -s", {one_of("exp|floor|add-k|none")},
      "smoothing of n-gram orders without a match");
  add(o.smooth_value, "smooth-value -sv X", {between(0, 1e6)},
      "value of the smoothing methods floor (default 0.1) and add-k (default 1)");
  add(o.force, "force", "do not warn of lines that look tokenized");
  add.group("chrF");
  add(o.chrf_char_order, "chrf-char-order -cc N", {between(1, 100)}, "maximum order of character n-grams");
  add(o.chrf_word_order, "chrf-word-order -cw N", {between(0, 100)},
      "maximum order of word n-grams; 2: chrF++");
  add(o.chrf_beta, "chrf-beta N", {between(0, 100)}, "weight of recall relative to precision");
  add(o.chrf_lowercase, "chrf-lowercase", "ignore case in chrF only");
  add(o.chrf_whitespace, "chrf-whitespace", "include white space in character n-grams");
  add(o.chrf_eps_smoothing, "chrf-eps-smoothing", "average the F-scores of all orders, as NLTK and Moses do");
  add.group("TER");
  add(o.ter_case_sensitive, "ter-case-sensitive", "respect case, even with --lowercase");
  add(o.ter_normalized, "ter-normalized", "separate punctuation and decode entities such as &amp; first");
  add(o.ter_no_punct, "ter-no-punct", "remove punctuation first");
  add(o.ter_asian_support, "ter-asian-support",
      "apply the two options above to East Asian text: split ideographs, treat its punctuation as Western");
  add.group("significance; the environment variable SACREBLEU_SEED sets the random seed");
  add(o.confidence, "confidence -ci", "95% confidence interval of one system, by bootstrap resampling");
  add(o.confidence_n, "confidence-n -cin N", {between(2, 1e7)}, "resamples of --confidence");
  add(o.paired_bs, "paired-bs -pbs",
      "test whether each system differs from the first one, by paired bootstrap resampling");
  add(o.paired_bs_n, "paired-bs-n -pbsn N", {between(1, 1e7)}, "resamples of --paired-bs");
  add(o.paired_ar, "paired-ar -par",
      "test whether each system differs from the first one, by approximate randomisation");
  add(o.paired_ar_n, "paired-ar-n -parn N", {between(1, 1e7)}, "trials of --paired-ar");
  add(o.paired_jobs, "paired-jobs -j N", {between(0, 1024), seldom},
      "accepted for sacreBLEU's workers; one thread computes the same result");
}

void list_options(LossOptions& o, OptionList& add) {
  add.summary(
      "Measures the loss and perplexity of a model on a text, or a classifier's accuracy and F1 too.\n\n"
      "  xformer-score lm -m RUN -t test.en test.de\n");
  add.group("the loss of a model");
  add(o.model, "model -m DIR", kRunHelp);
  add(o.text, "text -t SRC TRG", {up_to(2)},
      "text to measure on; language model: FILE; classifier: TEXT LABELS");
  add(o.tsv, "tsv", "read one file of lines SRC TAB TRG, or TEXT TAB LABEL");
  add(o.mini_batch_words, "mini-batch-words N", {between(8, 1e8)}, "target tokens per batch");
  add(o.compute.precision, "precision", {one_of("float32|tf32|bfloat16")},
      "data type of weights and activations; tf32: float32 with TF32 matrix products on CUDA");
  list_general(o.compute, add);
}

void list_options(ResultsOptions& o, OptionList& add) {
  add.summary(
      "Prints a table of runs: model, data and scores, read from the run folders.\n\n"
      "  xformer-score table RUN...\n");
  add.group("results");
  add(o.input, "input RUN...", {any_number, bare, Persistence::never}, "run folders of xformer-train");
  add(o.metrics, "metrics -m NAME...", {any_number, formerly_values("compat-bleu=tutorial-bleu")},
      "metrics of --valid-metrics to show; default: the one that chose the best checkpoint");
  add(o.format, "format -f", {one_of("text|markdown")}, "output format");
}

void list_options(MoleculeOptions& o, OptionList& add) {
  add.summary(
      "Measures generated molecules, one SMILES string per line. Prints the share of lines that are read,\n"
      "of valid strings among these, of different molecules among those, and of new ones.\n"
      "Brackets and stereochemistry are not read.\n\n"
      "  xformer-generate -m RUN --samples 1000 | xformer-score smiles --train train.smi\n");
  add.group("molecules");
  add(o.input, "input -i FILE", {bare}, "SMILES strings, one per line; -: standard input");
  add(o.train, "train FILE",
      "SMILES strings of known molecules; counts the input's molecules that are not among them");
  add(o.faults, "faults FILE", "file for the lines that are invalid or not read: line number, tab, reason");
}

// ---- export

void list_options(AverageOptions& o, OptionList& add) {
  add.summary(
      "Averages the weights of a run's last checkpoints, its best ones, or those that are named.\n\n"
      "  xformer-export average -m RUN --best 5 -o AVERAGE\n"
      "  xformer-export average CHECKPOINT... -o AVERAGE\n"
      "  xformer-translate -m AVERAGE -i FILE -o FILE\n");
  add.group("average");
  add(o.model, "model -m RUN", "run folder whose checkpoints are averaged");
  add(o.last, "last N", {at_least(1)},
      "average the last N scheduled checkpoints; default: as many as the run's --keep-last, as training "
      "does");
  add(o.best, "best N", {at_least(1)}, "average the N best checkpoints, by the metric that chose the best");
  add(o.checkpoints, "checkpoints CHECKPOINT...", {any_number, bare, Persistence::never},
      "checkpoints to average, in this order, instead of a run's");
  add(o.output, "output -o DIR", "folder for the model and its vocabularies");
  add(o.overwrite, "overwrite", {Persistence::never}, "replace an existing model");
}

void list_options(QuantizeOptions& o, OptionList& add) {
  add.summary(
      "Quantizes a model's matrices to int8, with one scale per row. The file is a quarter as large.\n"
      "Translations are the same as with --precision int8.\n\n"
      "  xformer-export quantize -m RUN -o SMALL\n"
      "  xformer-translate -m SMALL -i FILE -o FILE\n");
  add.group("quantize");
  add(o.model, "model -m DIR", kRunHelp);
  add(o.output, "output -o DIR", "folder for the model and its vocabularies");
  add(o.overwrite, "overwrite", {Persistence::never}, "replace an existing model");
}

void list_options(InspectOptions& o, OptionList& add) {
  add.summary(
      "Prints a model's tensors, parameters by block, update, configuration, vocabulary, metadata, "
      "checksums.\n\n"
      "  xformer-export inspect RUN\n"
      "  xformer-export inspect model.safetensors --format json\n");
  add.group("inspect");
  add(o.model, "model -m MODEL", {bare},
      "run folder (its averaged model if there is one), a checkpoint, or any safetensors file");
  add(o.format, "format -f", {one_of("text|json")}, "output format");
}

void list_options(DiffOptions& o, OptionList& add) {
  add.summary(
      "Prints the differences between two models: tensors and by how much, settings, vocabularies.\n"
      "The exit code is 0 if there are none, else 1.\n\n"
      "  xformer-export diff RUN/checkpoints/update-001000 RUN/latest\n"
      "  xformer-export diff opus-mt-en-de RUN --format json\n"
      "  xformer-export diff before.safetensors after.safetensors --tolerance 1e-6\n");
  add.group("diff");
  add(o.models, "models A B", {exactly(2), bare, Persistence::never},
      "two models: run folders, checkpoints, other toolkits' folders, Marian's .npz, safetensors files");
  add(o.tolerance, "tolerance X", {between(0, 1e30)}, "treat numbers that differ by at most X as equal");
  add(o.format, "format -f", {one_of("text|json")}, "output format");
}

void list_options(ExportOptions& o, OptionList& add) {
  add.summary(
      "Converts a model for another toolkit, writes its weights to one plain file, or converts another\n"
      "toolkit's model for this one.\n\n"
      "  xformer-export to ctranslate2 -m RUN -o DIR --quantization int8 --verify\n"
      "  xformer-export to hf-marian -m RUN -o DIR\n"
      "  xformer-export to safetensors -m RUN -o FILE\n"
      "  xformer-export to xformer -m FOREIGN -o RUN\n");
  add.group("to");
  add(o.format, "format", {one_of("ctranslate2|hf-marian|safetensors|text|xformer"), bare},
      "target format; ctranslate2, hf-marian: a folder for CTranslate2 or for transformers' MarianMT; "
      "safetensors, text: one file of float32 weights; xformer: a model of this toolkit, from another's "
      "folder or Marian's");
  add(o.model, "model -m DIR", "run folder or checkpoint; for xformer: another toolkit's folder");
  add(o.output, "output -o PATH", "folder or file to write");
  add(o.overwrite, "overwrite", {Persistence::never}, "replace an existing model");
  add(o.quantization, "quantization", {one_of("float32|float16|int8")},
      "data type of the weights in CTranslate2's file; int8: matrices, with one scale per row");
  add(o.verify, "verify",
      "read the folder back before it gets its name, and compare log-probabilities with the model's");
}

// ---- vocabulary

void list_options(VocabularyOptions& o, OptionList& add) {
  add.summary(
      "Trains a vocabulary on text.\n\n"
      "  xformer-vocab train -i FILE... -m VOCABULARY\n");
  add.group("vocabulary");
  add(o.input, "input -i FILE...", {any_number, bare}, "text; several files: one joint vocabulary");
  add(o.tsv, "tsv", "read lines of two texts separated by a tab; the vocabulary covers both");
  add(o.model, "model -m --output -o FILE", "vocabulary file to write");
  add(o.text.tokenizer, "tokenizer", {one_of("spm|whitespace|icu|character|spacy3|spacy2.2")},
      "SentencePiece BPE, words at white space, single characters, or words by ICU's or spaCy's rules");
  add(o.text.languages, "languages L",
      "language for spaCy's rules, en or de; default: the ending of the file name");
  add(o.text.vocab_size, "vocab-size N", {between(8, 1e8)}, "pieces of a BPE vocabulary");
  add(o.character_coverage, "character-coverage X", {between(0.98, 1)},
      "share of the text's characters that get a piece (spm)");
  add(o.text.min_freq, "min-freq N", {at_least(1)}, "replace rarer words with <unk> (all but spm)");
  add(o.overwrite, "overwrite", {Persistence::never}, "replace an existing file");
  add.group("general");
  add(o.text.lowercase, "lowercase", "lower-case the text first");
}

void list_options(CodeOptions& o, OptionList& add) {
  add.summary(add.program() == "xformer-vocab decode" ? "Converts convert pieces or ids to text.\n\n"
                                                        "  xformer-vocab decode -m VOCABULARY -i FILE\n"
                                                      : "Converts convert text to pieces or ids.\n\n"
                                                        "  xformer-vocab encode -m VOCABULARY -i FILE\n");
  add.group("text");
  add(o.model, "model -m FILE|DIR",
      "vocabulary: ours, a SentencePiece model, or another toolkit's list; or a model, which lower-cases "
      "text if it was trained so");
  add(o.input, "input -i FILE", {bare}, "sentences, one per line; -: standard input");
  add(o.output, "output -o FILE", "output file; -: standard output");
  add(o.format, "format --output-format --input-format", {one_of("piece|id")}, "format of the encoded side");
  add(o.side, "side", {one_of("source|target")}, "side of a model with two vocabularies");
  if (add.program() == "xformer-vocab decode") return;
  add.group("general");
  add(o.lowercase, "lowercase", "lower-case the text first");
}

void list_options(CheckOptions& o, OptionList& add) {
  add.summary(add.program() == "xformer-vocab check"
                  ? "Checks text for problems in training.\n\n"
                    "  xformer-vocab check train.en train.de\n"
                  : "Counts lines, words, characters and tokens.\n\n  xformer-vocab stats FILE...\n");
  add.group("text");
  add(o.input, "input -i FILE...", {any_number, bare}, "text files; check: one, or two that are parallel");
  add(o.tsv, "tsv", "read lines of two texts separated by a tab; each column is a text");
  add(o.model, "model -m FILE...|DIR", {up_to(2)},
      "vocabulary, to count tokens and unknown ones; two: one per side; or a model, for both");
  add(o.max_length, "max-length N", {at_least(1)}, "report longer lines: in tokens, or in words without -m");
  add.group("general");
  add(o.lowercase, "lowercase", "lower-case the text first");
}

void list_options(FieldOptions& o, OptionList& add) {
  add.summary(
      "Prints the first lines of a text as one padded batch, with the options of torchtext's Field.\n"
      "Several files share one vocabulary.\n\n"
      "  xformer-vocab field train.en --init-token '<sos>' --eos-token '<eos>' --batch-first\n");
  add.group("field");
  add(o.input, "input -i FILE...", {any_number, bare}, "text; several files share the vocabulary");
  add(o.num_examples, "num-examples N", {at_least(1)}, "lines of each file in its batch");
  add(o.format, "format", {one_of("piece|id")}, "print words or ids");
  add(o.sequential, "sequential", "false: a line is one token, neither split nor padded");
  add(o.text.tokenizer, "tokenizer", {one_of("whitespace|icu|spacy3|spacy2.2")},
      "rules that split a line into words");
  add(o.text.languages, "languages L",
      "language for spaCy's rules, en or de; default: the ending of the file name");
  add(o.use_vocab, "use-vocab", "false: tokens are numbers already");
  add(o.text.min_freq, "min-freq N", {at_least(1)}, "replace rarer words with --unk-token");
  add(o.max_size, "max-size N", {between(0, 1e8)},
      "maximum number of words in addition to the special tokens; 0: no limit");
  add(o.stop_words, "stop-words WORD...", {any_number}, "words to leave out");
  add(o.unk_token, "unk-token TOKEN",
      "token for words outside the vocabulary; none: such a word is an error");
  add(o.pad_token, "pad-token TOKEN", "token that pads short rows; none: all rows must have the same length");
  add(o.init_token, "init-token TOKEN", "token before each example");
  add(o.eos_token, "eos-token TOKEN", "token after each example");
  add(o.fix_length, "fix-length N", {between(1, 1e6)},
      "tokens in every row, init and eos included; default: as in the longest row");
  add(o.pad_first, "pad-first", "pad at the beginning of a row");
  add(o.truncate_first, "truncate-first", "truncate to --fix-length at the beginning of a row");
  add(o.include_lengths, "include-lengths", "print each example's length without padding");
  add(o.batch_first, "batch-first", "make each example a row; default: a column");
  add.group("general");
  add(o.text.lowercase, "lowercase", "lower-case the text first");
}

void list_options(PaddingOptions& o, OptionList& add) {
  add.summary(
      "Counts the batches of an epoch and their share of padding: in random order, from sorted pools,\n"
      "and sorted as a whole.\n\n"
      "  xformer-vocab batches train.en train.de --mini-batch 128 --maxi-batch 100\n");
  add.group("batches");
  add(o.input, "input -i SRC TRG", {up_to(2), bare}, "parallel text");
  add(o.model, "model -m FILE [FILE]|DIR", {up_to(2)},
      "vocabularies or a model, whose tokens are counted; default: words at white space");
  add(o.mini_batch, "mini-batch N", {between(1, kLargestBatch)}, "sentences per batch");
  add(o.mini_batch_words, "mini-batch-words N", {between(8, 1e8)},
      "target tokens per batch, instead of sentences");
  add(o.maxi_batch, "maxi-batch N", {between(1, 1e8)}, "batches per pool");
  add(o.maxi_batch_sort, "maxi-batch-sort", {one_of("src|trg|both")},
      "side whose length sorts a pool; both: by the interleaved bits of the two lengths");
  add(o.shuffle, "shuffle", {one_of("data|batches|none")},
      "order to shuffle; data: the pairs, and the batches of a pool; batches: all batches");
  add(o.seed, "seed N", {at_least(0)}, "random seed of the shuffling");
  add.group("general");
  add(o.lowercase, "lowercase", "lower-case the text first");
}

void list_options(DemoCorpusOptions& o, OptionList& add) {
  add.summary("Writes the English-German demo corpus.\n\n  xformer-vocab demo-corpus DIR\n");
  add.group("demo corpus");
  add(o.output, "output -o DIR", {bare}, "folder for train, valid and test in .en and .de");
  add(o.seed, "seed N", {at_least(0)}, "random seed of the corpus");
  add(o.overwrite, "overwrite", {Persistence::never}, "replace existing files");
  add(o.pairs, "pairs N", {at_least(1)},
      "pairs to train on; above 20000 a sentence may repeat, but never a held-out one");
}

void list_options(DemoMoleculesOptions& o, OptionList& add) {
  add.summary(
      "Writes a corpus of molecules as SMILES strings: canonical ones, and random ones of the same "
      "molecules.\n\n"
      "  xformer-vocab demo-molecules DIR\n");
  add.group("demo molecules");
  add(o.output, "output -o DIR", {bare}, "folder for train, valid and test in .smi and .random.smi");
  add(o.seed, "seed N", {at_least(0)}, "random seed of the corpus");
  add(o.overwrite, "overwrite", {Persistence::never}, "replace existing files");
}

// ---- explain

void list_options(OpOptions& o, OptionList& add) {
  add.summary(
      "Prints an op's equations by id (docs/derivations) with their values on your numbers: from the plain\n"
      "kernel, from the fast one, and from central differences. Without a name: lists the ops and their "
      "inputs.\n\n"
      "  xformer-explain op layer_norm --x 1,2,3,4 --dy 1,0,0,0\n");
  add.group("op", Persistence::never);
  add(o.op, "op NAME", {bare}, "name of the op");
  add(o.x, "x ROWS", "main input, such as 1,2,3;4,5,6; default: an example");
  add(o.dy, "dy ROWS", "upstream gradient");
  add(o.with, "with NAME=ROWS...", {any_number}, "another input, such as gamma=1,2,3,4");
  list_page(o, add, "text|json");
}

void list_options(StepsOptions& o, OptionList& add) {
  add.summary(
      "Walks through a small Transformer with its numbers: embedding, attention, layers, stacks, masks, "
      "logits.\n"
      "Each step has its shapes, values, equations (docs/derivations) and lines of code.\n\n"
      "  xformer-explain steps --task tutorials/by-hand --step 2.1.1\n");
  add.group("steps", Persistence::never);
  add(o.task, "task", {one_of("tutorials/by-hand"), formerly_values("seed001=tutorials/by-hand")},
      "model to walk through");
  add(o.step, "step NUMBER", "print this step only, such as 2.1.1");
  list_page(o, add, "text|json|svg|html");
}

void list_options(MasksOptions& o, OptionList& add) {
  add.summary(
      "Shows attention masks, padded and packed, and the effect of a fill value on a row of "
      "probabilities.\n\n"
      "  xformer-explain masks --source '1 1 4 0; 4 3 2 9' --target '5 2 5 0; 6 7 9 8' --pad 0\n");
  add.group("masks", Persistence::never);
  add(o.source, "source WORDS",
      "source sentences, separated by semicolons: words or ids; default: an example");
  add(o.target, "target WORDS", "target sentences, as many");
  add(o.pad, "pad WORD", "padding token of shorter sentences");
  list_page(o, add, "text|json|svg|html");
}

void list_options(PositionsOptions& o, OptionList& add) {
  add.summary(
      "Shows the sinusoidal positions that are added to embeddings: table, heat map and curves.\n\n"
      "  xformer-explain positions --length 50 --dim 64 -f svg -o positions.svg\n");
  add.group("positions", Persistence::never);
  add(o.length, "length N", {between(1, 2048)}, "number of positions");
  add(o.dim, "dim N", {between(2, 1024)}, "width of the model");
  add(o.layout, "layout", {one_of("interleaved|split")},
      "sine and cosine interleaved, as in the paper, or all sines first");
  add(o.columns, "columns N...", {at_least(0), any_number},
      "columns to print and to plot as curves; default: a few that span the table");
  list_page(o, add, "text|json|svg|html");
}

void list_options(AttentionOptions& o, OptionList& add) {
  add.summary(
      "Shows the attention weights of each head of a trained model, for one sentence and its translation.\n\n"
      "  xformer-explain attention -m RUN 'The animal was tired' -f html -o attention.html\n");
  add.group("attention", Persistence::never);
  add(o.sentence, "sentence WORDS", {any_number, bare},
      "sentence to translate or to read; default: an example");
  add(o.model, "model -m DIR", kRunHelp);
  add(o.target, "target WORDS", "translation of the sentence; default: the model's own");
  add(o.part, "part", {one_of("encoder|self|cross|all")},
      "attention to show: encoder, decoder self-attention, cross-attention, or all");
  add(o.layer, "layer N,...", "layers to show, counted from 0");
  add(o.head, "head N,...", "heads to show, counted from 0");
  add(o.focus, "focus WORD", "show the attention of this word only");
  list_page(o, add, "text|json|svg|html");
  list_general(o.compute, add);
}

void list_options(FlowOptions& o, OptionList& add) {
  add.summary(
      "Animates the data flow through a part of the Transformer, with the values of one sentence.\n\n"
      "  xformer-explain flow encoder -o encoder.svg\n"
      "  xformer-explain flow decoding -m RUN \"A dog sleeps.\" -o decoding.svg\n");
  add.group("flow", Persistence::never);
  add(o.subject, "subject SUBJECT [SENTENCE]", {up_to(2), bare},
      "model, encoder, training, decoding, attention, feed_forward or positions; with -m, then a sentence to "
      "translate");
  add(o.model, "model -m DIR", "run folder or checkpoint; default: a micro-model with random weights");
  list_page(o, add, "text|json|svg|html");
  list_general(o.compute, add);
}

void list_options(TapeOptions& o, OptionList& add) {
  add.summary(
      "Prints the tape of one training step: each node, its inputs and outputs, the memory in use, and the\n"
      "gradient that reached it.\n\n"
      "  xformer-explain tape\n"
      "  xformer-explain tape -m RUN \"A dog runs.\" --target \"Ein Hund rennt.\" --format svg -o "
      "tape.svg\n");
  add.group("tape", Persistence::never);
  list_pair(o, add);
  list_page(o, add, "text|json|svg");
  add.group("general");
  list_threads(o.compute, add);
}

void list_options(GradientsOptions& o, OptionList& add) {
  add.summary(
      "Prints each parameter's gradient for one sentence pair. With --check: its error against central "
      "differences.\n\n"
      "  xformer-explain gradients --check\n"
      "  xformer-explain gradients --check -m RUN \"A dog runs.\" --target \"Ein Hund rennt.\"\n");
  add.group("gradients", Persistence::never);
  list_pair(o, add);
  add(o.check, "check", "compare with central differences in f64; exit code 1 if one is off");
  add(o.samples, "samples N", {between(1, 1000)},
      "elements to check per parameter: the one of the largest gradient, and random others");
  add(o.seed, "seed N", {at_least(0)}, "random seed of the elements to check");
  list_page(o, add, "text|json");
  add.group("general");
  list_threads(o.compute, add);
}

void list_options(BeamOptions& o, OptionList& add) {
  add.summary(
      "Shows the beam search for one sentence: live, finished and pruned hypotheses, and how the best one "
      "wins.\n\n"
      "  xformer-explain beam -m RUN \"A dog runs.\" --format svg -o beam.svg\n");
  add.group("beam", Persistence::never);
  add(o.source, "source SENTENCE", {bare}, "sentence to translate");
  add(o.model, "model -m DIR", kRunHelp);
  add(o.beam_size, "beam-size -b N", {between(1, 64)}, "beam size; default: as in training");
  add(o.normalize, "normalize -n A", {between(0, kLargestPower)},
      "length normalisation: score = log-probability / length^A; default: as in training");
  list_page(o, add, "text|json|svg|html");
  list_general(o.compute, add);
}

void list_options(LogitsOptions& o, OptionList& add) {
  add.summary(
      "Shows the best tokens at each target position: logits, probabilities, and the loss.\n\n"
      "  xformer-explain logits -m RUN \"A dog runs.\" --target \"Ein Hund rennt.\"\n");
  add.group("logits", Persistence::never);
  add(o.source, "source SENTENCE", {bare}, "sentence to translate");
  add(o.model, "model -m DIR", kRunHelp);
  add(o.target, "target SENTENCE", "translation to follow; default: the model's own");
  add(o.top, "top K", {between(1, 100)}, "tokens per position");
  add(o.position, "position N", {at_least(1)}, "show this position only, counted from 1");
  list_page(o, add, "text|json|svg");
  list_general(o.compute, add);
}

void list_options(QuirkOptions& o, OptionList& add) {
  add.summary(
      "Compares a deviation of published Transformers with the correct form, in numbers (docs/variants).\n"
      "Without a name: lists them.\n\n"
      "  xformer-explain quirk Q1\n"
      "  xformer-explain quirk Q5 -f svg -o positions.svg\n");
  add.group("quirk", Persistence::never);
  add(o.quirk, "quirk QN", {bare}, "deviation to show, Q1 to Q25; default: a list of them");
  list_page(o, add, "text|json|svg|html");
}

// ---- bench

void list_options(BenchOptions& o, OptionList& add) {
  add.summary(
      "Times kernels, the training step and whole programs against this machine's roofline and other "
      "toolkits.\n\n"
      "  xformer-bench --fn train_step --preset tiny\n"
      "  xformer-bench --fn layer_norm --baseline torch\n"
      "  xformer-bench --kernel mine.so --fn layer_norm_forward --shape N=4096,D=1:65536:*2\n"
      "  xformer-bench --against OTHER/xformer-bench --fail-if-regression 5%\n"
      "  xformer-bench report --help    HTML page of stored results\n");
  add.group("what to time");
  add(o.fn, "fn REGEX", "functions to time, as a regular expression: train_step, layer_norm, linear_.*");
  add(o.shape, "shape REGEX|SIZES",
      "shapes to time: a regular expression such as 4088x128; or sizes by name, with lists and ranges: "
      "N=4096,D=128,512 or N=4096,D=1:65536:*2");
  add(o.preset, "preset", {one_of("tiny|base|odd|gpt2|smollm2-135m|qwen3-0.6b|gemma2-2b|llama3.1-8b")},
      "shapes of a model's training step, of the tests (odd), or of a language model's kernels");
  add(o.dtype, "dtype", {one_of("f32|f64|bf16|int8")},
      "element type; int8: --end-to-end translate as with --precision int8");
  add(o.device, "device cpu|cuda[:N]", "device to compute on");
  add(o.baseline, "baseline", {one_of("none|f32|floor|naive|onednn|cublaslt|cudnn|torch|ctranslate2")},
      "baseline to compare with; f32: the same function in float32; floor: the roofline, measured "
      "interleaved with the step");
  add(o.threads, "threads N", {between(0, 1024)},
      "CPU threads; 0: OMP_NUM_THREADS, or as many as this process may use");
  add(o.samples, "samples N", {between(0, 1e9)},
      "samples per training step, or per visit of a kernel; 0: chosen by the program");
  add(o.warm, "warm", "keep inputs in the cache; default: rotate through more data than the cache holds");
  add(o.check, "check", "compare with the f64 definition first");
  add(o.check_only, "check-only", "compare with the f64 definition, without timing");
  add(o.inject_slowdown, "inject-slowdown X", {between(0, 1000), seldom, formerly("plant")},
      "lengthen every reported time by this share, to test --fail-if-regression");
  add(o.list, "list", "list names and shapes only");
  add(o.count_launches, "count-launches",
      "count the kernels that a training step launches, from its CUDA graph; needs --device cuda");
  add.group("your kernel");
  add(o.kernel, "kernel FILE",
      "your kernel for the function --fn, checked and timed interleaved with ours; a C function in FILE.so, "
      "a Python function in FILE.py, or a command line that answers (docs/your_kernel.md)");
  add(o.kernel_limit, "kernel-limit SECONDS", {between(0.001, 1e6)}, "time limit for one call of the kernel");
  add(o.kernel_header, "kernel-header", "print the C header for --kernel, xformer_kernel.h, and exit");
  add.group("results");
  add(o.format, "format", {one_of("table|json|csv")}, "output format");
  add(o.roofline, "roofline", "show each row's arithmetic intensity, and the ceiling above it");
  add(o.label, "label LABEL",
      "store the results as bench/results/LABEL.json, or at a path that ends in .json");
  add(o.add, "add", "pool with the results that the label already holds, instead of replacing them");
  add(o.scaling, "scaling", "measure time per token against batch, sentence length, width and vocabulary");
  add.group("before and after");
  add(o.against, "against PROGRAM",
      "another build of this program, timed interleaved with this one, to show what changed");
  add(o.compare, "compare A,B", "two labels or files, to show what changed from A to B");
  add(o.fail_if_regression, "fail-if-regression 5%",
      "exit code 1 if a row of --against or --compare is slower by more, or has too few samples to tell");
  add(o.turns, "turns", {one_of("answer"), bare, Persistence::never, seldom},
      "internal: take turns with another build that runs --against");
  add.group("whole programs");
  add(o.end_to_end, "end-to-end", {one_of("train|translate")}, "time a whole program");
  add(o.model, "model DIR", "run folder to translate with; default: the one that tools/demo.sh made");
  add(o.input, "input FILE", "text to translate");
  add(o.data, "data DIR", "training data: a folder with train.en and train.de");
  add(o.beam, "beam N", {between(1, 64)}, "beam size; greedy search is always timed as well");
  add(o.mini_batch, "mini-batch N", {between(1, kLargestBatch)},
      "sentences per batch; one at a time is always timed as well");
  add(o.updates, "updates N", {at_least(1)}, "updates of end-to-end training");
}

void list_options(BenchReportOptions& o, OptionList& add) {
  add.summary(
      "Writes an HTML page of stored results: rooflines, peers, history.\n\n"
      "  xformer-bench report before after --output report.html\n"
      "  xformer-bench report --markdown before after\n");
  add.group("report");
  add(o.results, "results RESULTS...", {any_number, bare, Persistence::never},
      "labels or files, oldest first");
  add(o.output, "output FILE", "HTML file to write");
  add(o.markdown, "markdown",
      "print Markdown tables instead: steps, translation, kernels, GPU; the newest row of each kind");
}

// ---- every program

namespace {

TrainingOptions training_by_default() {
  TrainingOptions options;
  OptionList list = options_of(options);
  list.apply(options_of_preset(list, options.task), OptionList::Origin::preset);
  return options;
}

const std::vector<OptionList>& all_defaults() {
  static std::tuple configurations(
      training_by_default(), TranslationOptions(), ScoringOptions(), VocabularyOptions(),
      CodeOptions("xformer-vocab encode"), CodeOptions("xformer-vocab decode"),
      CheckOptions("xformer-vocab check"), CheckOptions("xformer-vocab stats"), DemoCorpusOptions(),
      OpOptions(), StepsOptions(), MasksOptions(), PositionsOptions(), AttentionOptions(), FlowOptions(),
      TapeOptions(), GradientsOptions(), BeamOptions(), LogitsOptions(), QuirkOptions(), FieldOptions(),
      PaddingOptions(), DemoMoleculesOptions(), ResultsOptions(), LossOptions(), GenerationOptions(),
      ClassificationOptions(), MoleculeOptions(), AverageOptions(), QuantizeOptions(), InspectOptions(),
      DiffOptions(), ExportOptions(), BenchOptions(), BenchReportOptions());
  static const std::vector<OptionList> lists =
      std::apply([](auto&... each) { return std::vector<OptionList>{options_of(each)...}; }, configurations);
  return lists;
}

}  // namespace

const std::vector<std::string_view>& all_programs() {
  static const std::vector<std::string_view> programs = [] {
    std::vector<std::string_view> names;
    for (const OptionList& list : all_defaults()) names.push_back(list.program());
    return names;
  }();
  return programs;
}

const OptionList& default_options(std::string_view program) {
  const auto found = std::ranges::find(all_defaults(), program, &OptionList::program);
  XF_CHECK(found != all_defaults().end(), "options: no program is called {}", program);
  return *found;
}

std::vector<ProgramCommand> commands_of(const std::string& program) {
  std::vector<ProgramCommand> commands;
  for (const std::string_view candidate : all_programs()) {
    const std::vector<std::string> words = split(candidate, ' ');
    if (words.front() == program) commands.push_back({words.size() > 1 ? words[1] : "", candidate});
  }
  XF_CHECK(!commands.empty(), "option pages: no program is called {}", program);
  return commands;
}

}  // namespace xf::tools
