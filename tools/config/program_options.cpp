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
      "of weights and activations; tf32: float32, but for CUDA's products; int8: on the CPU, matrices and "
      "what they multiply are rounded to 8 bits; default: int8 for a model of xformer-export quantize, else "
      "float32");
}

void list_page(PageOptions& o, OptionList& add, std::string_view formats) {
  add(o.format, "format -f", {one_of(formats)}, "form of the output; default: what the file's ending says");
  add(o.output, "output -o FILE", "-: standard output");
}

void list_general(ComputeOptions& o, OptionList& add) {
  add.group("general");
  list_compute(o, add);
}

void list_pair(PairOptions& o, OptionList& add) {
  add(o.source, "source SENTENCE", {bare}, "what the encoder reads");
  add(o.target, "target SENTENCE", "its translation");
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
      "of the models of an ensemble; default: all alike");
  add(o.input, "input -i FILE", "text; -: standard input");
  add(o.output, "output -o FILE", "one line for each input line; -: standard output");
  add(o.beam_size, "beam-size -b N", {between(1, 64)},
      "hypotheses followed at a time; 1: greedy; default: as in training");
  add(o.normalize, "normalize -n A", {between(0, kLargestPower)},
      "hypotheses compare by log-probability / length^A, </s> counted; default: as in training");
  add(o.word_penalty, "word-penalty X", {between(-1000, 1000), seldom},
      "each word adds X to a hypothesis's log-probability; above 0: longer translations");
  add(o.no_repeat_ngram_size, "no-repeat-ngram-size N", {between(0, 64), seldom},
      "no N pieces in a row come twice in a translation; 0: they may");
  add(o.force_decode, "force-decode",
      "lines are a source, a tab and what the translation begins with; without a tab: a source alone");
  add(o.output_sampling, "output-sampling full|topk K|nucleus P [T]", {up_to(3)},
      "draw each token, in place of search: from all, from the K most probable, or from the fewest that "
      "have probability P together; T: temperature");
  add(o.seed, "seed N", {at_least(0)}, "of --output-sampling: another seed, other translations");
  add(o.n_best, "n-best", "all hypotheses: id ||| text ||| F0= log-probability ||| score");
  add(o.word_scores, "word-scores", {seldom},
      "behind each text ||| WordScores= the log-probability of each of its pieces, and of </s>");
  add(o.alignment, "alignment hard|soft|X",
      "behind each text ||| which source token each of its tokens comes from: hard: pairs s-t of the "
      "largest weight; soft: all weights; X: pairs of weight X or more, 1: as hard. Tokens are pieces and "
      "</s>, from 0");
  add(o.alignment_layer, "alignment-layer N", {at_least(0), seldom},
      "of the decoder, from 0, whose cross-attention is the alignment, mean over heads; else the last but "
      "one");
  add(o.max_length_factor, "max-length-factor X", {between(0, 1e6)},
      "at most X times the source's tokens and 10 more");
  add(o.max_length, "max-length N", {at_least(1)}, "and at most N tokens; a cut is reported");
  add(o.allow_unk, "allow-unk", "let the output contain <unk>");
  add(o.no_spm_encode, "no-spm-encode", {seldom}, "the input is pieces already, apart by spaces");
  add(o.no_spm_decode, "no-spm-decode", {seldom}, "the output stays pieces, apart by spaces");
  add(o.interactive, "interactive",
      "translate each line as it is written: score, tab, translation; Ctrl-D ends");
  add(o.continue_, "continue",
      "where a run is stopped or killed the same command goes on; until the end the lines lie in "
      "OUTPUT.unfinished");
  add(o.stat_freq, "stat-freq N", {at_least(0), seldom},
      "after every N lines say how many there are, and how fast; 0: never");
  add(o.teacher_forced, "teacher-forced REF",
      "no search: the likeliest word at each position of the lines of REF, each knowing the right words "
      "before it");
  add(o.output_format, "output-format", {one_of("plain|tutorial"), formerly_values("seed=tutorial")},
      "of --teacher-forced; tutorial: as two tutorials print source, target, prediction and their BLEU");
  add(o.num_examples, "num-examples N", {at_least(0)},
      "of --output-format tutorial: the first N pairs of each batch; else all");
  add(o.mini_batch, "mini-batch N", {between(1, kLargestBatch)}, "sentences translated together");
  list_precision(o.compute, add);
  list_general(o.compute, add);
}

void list_options(GenerationOptions& o, OptionList& add) {
  add.summary(
      "Lines from a language model, drawn token by token.\n\n"
      "  xformer-generate -m RUN --samples 5\n"
      "  echo 'two dogs' | xformer-generate -m RUN -i -\n");
  add.group("generation");
  add(o.model, "model -m DIR", kRunHelp);
  add(o.input, "input -i FILE", "a prompt a line, to go on from; -: standard input; none: the empty prompt");
  add(o.output, "output -o FILE", "prompts and what follows, a line each; -: standard output");
  add(o.samples, "samples N", {between(1, 1e9)}, "lines for each prompt");
  add(o.temperature, "temperature X", {between(0, 1e6)},
      "below 1 the probable becomes more so; 0: always the most probable token");
  add(o.top_k, "top-k N", {at_least(0)}, "draw among the N most probable tokens; 0: among all");
  add(o.top_p, "top-p P", {between(0, 1)},
      "of these, among the fewest that have probability P together; 1: among all");
  add(o.max_length, "max-length N", {between(1, 2048)}, "at most N tokens a line; a cut is reported");
  add(o.seed, "seed N", {at_least(0)}, "another seed, other lines");
  add(o.mini_batch, "mini-batch N", {between(1, kLargestBatch)}, "lines written together");
  list_precision(o.compute, add);
  list_general(o.compute, add);
}

void list_options(ClassificationOptions& o, OptionList& add) {
  add.summary("The class of each line of text.\n\n  xformer-classify -m RUN -i FILE\n");
  add.group("classification");
  add(o.model, "model -m DIR", kRunHelp);
  add(o.input, "input -i FILE", "a text a line; -: standard input");
  add(o.output, "output -o FILE", "class, tab, probability for each line; -: standard output");
  add(o.all_classes, "all-classes", "all classes, the most probable first");
  add(o.mini_batch, "mini-batch N", {between(1, kLargestBatch)}, "texts read together");
  list_precision(o.compute, add);
  list_general(o.compute, add);
}

// ---- scoring

void list_options(ScoringOptions& o, OptionList& add) {
  add.summary(
      "Scores translations: corpus BLEU, chrF and TER, the digits of sacreBLEU.\n\n"
      "  xformer-score bleu REF -i HYP\n"
      "  xformer-score REF -i FIRST SECOND -m bleu chrf --paired-bs\n"
      "  xformer-score lm --help        the loss of a saved model on a text\n"
      "  xformer-score table --help     runs beside each other\n"
      "  xformer-score smiles --help    the validity of generated molecules\n");
  add.group("scoring");
  add(o.references, "references --ref METRIC REF...", {any_number, bare, Persistence::never},
      "bleu, chrf, ter or tutorial-bleu, then one or more reference files");
  add(o.input, "input -i HYP...", {any_number, Persistence::never},
      "translations to score, a file for each system; -: standard input");
  add(o.num_refs, "num-refs -nr N", {between(1, 1000)}, "references in one file, apart by tabs");
  add(o.encoding, "encoding -e NAME", "of the files: latin-1, cp1252, utf-16, ...");
  add(o.language_pair, "language-pair -l SRC-TRG",
      "chooses the tokenizer for its target language where --tokenize is not given: zh for Chinese");
  add(o.metrics, "metrics -m NAME...",
      {one_of("bleu|chrf|ter|tutorial-bleu"), up_to(4), formerly_values("compat-bleu=tutorial-bleu")},
      "the metrics, if not the first argument");
  add(o.lowercase, "lowercase -lc", "ignore case; TER does so anyway");
  add(o.sentence_level, "sentence-level -sl", "a score for each line");
  add(o.mini_batch, "mini-batch N", {between(1, kLargestBatch)},
      "tutorial-bleu: sentences whose scores are averaged before the batches are");
  add(o.score_only, "score-only -b", "the number alone");
  add(o.width, "width -w N", {between(0, 17)}, "digits behind the decimal point");
  add(o.format, "format -f", {one_of("text|json")},
      "form of the output; the environment's SACREBLEU_FORMAT changes the default");
  add(o.short_, "short -sh", "short signature");
  add(o.no_color, "no-color -nc", {seldom}, "sacreBLEU's; nothing is coloured here");
  add.group("BLEU");
  add(o.tokenize, "tokenize -tok", {one_of("13a|intl|char|zh|none")}, "how a line is cut into tokens");
  add(o.smooth_method, "smooth-method -s", {one_of("exp|floor|add-k|none")},
      "smoothing of orders without a match");
  add(o.smooth_value, "smooth-value -sv X", {between(0, 1e6)}, "of floor (0.1 if not given) and add-k (1)");
  add(o.force, "force", "no warning of lines that look tokenized");
  add.group("chrF");
  add(o.chrf_char_order, "chrf-char-order -cc N", {between(1, 100)}, "longest n-gram of characters");
  add(o.chrf_word_order, "chrf-word-order -cw N", {between(0, 100)}, "longest n-gram of words; 2 is chrF++");
  add(o.chrf_beta, "chrf-beta N", {between(0, 100)}, "how much more recall counts than precision");
  add(o.chrf_lowercase, "chrf-lowercase", "ignore case in chrF alone");
  add(o.chrf_whitespace, "chrf-whitespace", "white space is part of the n-grams of characters");
  add(o.chrf_eps_smoothing, "chrf-eps-smoothing", "the mean of every order's F, as in NLTK and Moses");
  add.group("TER");
  add(o.ter_case_sensitive, "ter-case-sensitive", "heed case, whatever --lowercase says");
  add(o.ter_normalized, "ter-normalized", "separate punctuation and decode &amp; and the like first");
  add(o.ter_no_punct, "ter-no-punct", "remove punctuation first");
  add(o.ter_asian_support, "ter-asian-support",
      "with the two above: ideographs by themselves, East Asian punctuation like ours");
  add.group("significance; the environment's SACREBLEU_SEED changes what is drawn");
  add(o.confidence, "confidence -ci", "of one system: a 95% interval, by bootstrap resampling");
  add(o.confidence_n, "confidence-n -cin N", {between(2, 1e7)}, "resamples for it");
  add(o.paired_bs, "paired-bs -pbs", "is each system unlike the first one? by bootstrap resampling");
  add(o.paired_bs_n, "paired-bs-n -pbsn N", {between(1, 1e7)}, "resamples for it");
  add(o.paired_ar, "paired-ar -par", "the same question, by approximate randomisation");
  add(o.paired_ar_n, "paired-ar-n -parn N", {between(1, 1e7)}, "trials for it");
  add(o.paired_jobs, "paired-jobs -j N", {between(0, 1024), seldom},
      "sacreBLEU's workers; one does the work here, with the same result");
}

void list_options(LossOptions& o, OptionList& add) {
  add.summary(
      "The loss and perplexity of a saved model on a text; of a classifier accuracy and F1 too.\n\n"
      "  xformer-score lm -m RUN -t test.en test.de\n");
  add.group("the loss of a model");
  add(o.model, "model -m DIR", kRunHelp);
  add(o.text, "text -t SRC TRG", {up_to(2)},
      "the text; of a language model: FILE; of a classifier: TEXT LABELS");
  add(o.tsv, "tsv", "the text is one file of lines SRC TAB TRG, or TEXT TAB LABEL");
  add(o.mini_batch_words, "mini-batch-words N", {between(8, 1e8)}, "target tokens of a batch");
  add(o.compute.precision, "precision", {one_of("float32|tf32|bfloat16")},
      "of weights and activations; tf32: float32, but for CUDA's products");
  list_general(o.compute, add);
}

void list_options(ResultsOptions& o, OptionList& add) {
  add.summary(
      "Models, their data and their scores, as the run folders have them.\n\n"
      "  xformer-score table RUN...\n");
  add.group("results");
  add(o.input, "input RUN...", {any_number, bare, Persistence::never}, "run folders of xformer-train");
  add(o.metrics, "metrics -m NAME...", {any_number},
      "of --valid-metrics; default: the one that chose the best checkpoint");
  add(o.format, "format -f", {one_of("text|markdown")}, "form of the output");
}

void list_options(MoleculeOptions& o, OptionList& add) {
  add.summary(
      "How many lines can be read (no brackets, no stereochemistry), how many of these are valid SMILES\n"
      "strings, how many of those are different molecules, and how many of these are new.\n\n"
      "  xformer-generate -m RUN --samples 1000 | xformer-score smiles --train train.smi\n");
  add.group("molecules");
  add(o.input, "input -i FILE", {bare}, "a SMILES string a line; -: standard input");
  add(o.train, "train FILE", "strings of known molecules: how many of the input's are not among them");
  add(o.faults, "faults FILE", "where to write the lines that are not valid or not read: number, tab, why");
}

// ---- export

void list_options(AverageOptions& o, OptionList& add) {
  add.summary(
      "The mean of a run's last checkpoints, of its best ones, or of those that are named, as a model of its "
      "own.\n\n"
      "  xformer-export average -m RUN --best 5 -o AVERAGE\n"
      "  xformer-export average CHECKPOINT... -o AVERAGE\n"
      "  xformer-translate -m AVERAGE -i FILE -o FILE\n");
  add.group("average");
  add(o.model, "model -m RUN", "run folder whose checkpoints are averaged");
  add(o.last, "last N", {at_least(1)},
      "its last N scheduled checkpoints; default: as many as its --keep-last, as training does");
  add(o.best, "best N", {at_least(1)}, "its N best, by the metric that chose the best");
  add(o.checkpoints, "checkpoints CHECKPOINT...", {any_number, bare, Persistence::never},
      "these checkpoints, in this order, instead of a run's");
  add(o.output, "output -o DIR", "folder for the model, its vocabularies with it");
  add(o.overwrite, "overwrite", {Persistence::never}, "replace a model that is there");
}

void list_options(QuantizeOptions& o, OptionList& add) {
  add.summary(
      "A model's matrices in eight bits, each row with a scale: a quarter of the file, and the same "
      "translations as with --precision int8.\n\n"
      "  xformer-export quantize -m RUN -o SMALL\n"
      "  xformer-translate -m SMALL -i FILE -o FILE\n");
  add.group("quantize");
  add(o.model, "model -m DIR", kRunHelp);
  add(o.output, "output -o DIR", "folder for the model, its vocabularies with it");
  add(o.overwrite, "overwrite", {Persistence::never}, "replace a model that is there");
}

void list_options(InspectOptions& o, OptionList& add) {
  add.summary(
      "What a model consists of: tensors, parameters by block, update, configuration, vocabulary, metadata, "
      "checksums.\n\n"
      "  xformer-export inspect RUN\n"
      "  xformer-export inspect model.safetensors --format json\n");
  add.group("inspect");
  add(o.model, "model -m MODEL", {bare},
      "run folder (its averaged model if there is one), a checkpoint, or any safetensors file");
  add(o.format, "format -f", {one_of("text|json")}, "form of the output");
}

void list_options(DiffOptions& o, OptionList& add) {
  add.summary(
      "In what two models differ: tensors, by how much, settings of the model, vocabularies. Exit code 0: in "
      "nothing; 1: in\n"
      "what it prints.\n\n"
      "  xformer-export diff RUN/checkpoints/update-001000 RUN/latest\n"
      "  xformer-export diff opus-mt-en-de RUN --format json\n"
      "  xformer-export diff before.safetensors after.safetensors --tolerance 1e-6\n");
  add.group("diff");
  add(o.models, "models A B", {exactly(2), bare, Persistence::never},
      "two models: run folders, checkpoints, other toolkits' folders, Marian's .npz, safetensors files");
  add(o.tolerance, "tolerance X", {between(0, 1e30)}, "numbers that differ by at most X are the same");
  add(o.format, "format -f", {one_of("text|json")}, "form of the output");
}

void list_options(ExportOptions& o, OptionList& add) {
  add.summary(
      "A model for another toolkit, its weights in a file that any program reads, or another toolkit's model "
      "for\n"
      "this one.\n\n"
      "  xformer-export to ctranslate2 -m RUN -o DIR --quantization int8 --verify\n"
      "  xformer-export to hf-marian -m RUN -o DIR\n"
      "  xformer-export to safetensors -m RUN -o FILE\n"
      "  xformer-export to xformer -m FOREIGN -o RUN\n");
  add.group("to");
  add(o.format, "format", {one_of("ctranslate2|hf-marian|safetensors|text|xformer"), bare},
      "what becomes of the model: a folder for CTranslate2 or for transformers' MarianMT; one file of f32 "
      "weights, safetensors or text; or, of another toolkit's folder, of Marian's too, a model of this one");
  add(o.model, "model -m DIR", "run folder or checkpoint; for xformer: another toolkit's folder");
  add(o.output, "output -o PATH", "folder or file to write");
  add(o.overwrite, "overwrite", {Persistence::never}, "replace a model that is there");
  add(o.quantization, "quantization", {one_of("float32|float16|int8")},
      "how CTranslate2's file stores weights; int8: matrices, with a scale for each row");
  add(o.verify, "verify",
      "read the folder again before it gets its name, and compare log-probabilities with the model's");
}

// ---- vocabulary

void list_options(VocabularyOptions& o, OptionList& add) {
  add.summary("Makes a vocabulary.\n\n  xformer-vocab train -i FILE... -m VOCABULARY\n");
  add.group("vocabulary");
  add(o.input, "input -i FILE...", {any_number, bare}, "text; several files make one joint vocabulary");
  add(o.tsv, "tsv", "lines of two texts with a tab between them: the vocabulary is of both");
  add(o.model, "model -m --output -o FILE", "the vocabulary to write");
  add(o.text.tokenizer, "tokenizer", {one_of("spm|whitespace|icu|character|spacy3|spacy2.2")},
      "SentencePiece BPE, words as they stand, single characters, or words by ICU's or spaCy's rules");
  add(o.text.languages, "languages L", "of the text, en or de, for spaCy's rules; else as its name ends");
  add(o.text.vocab_size, "vocab-size N", {between(8, 1e8)}, "pieces of a BPE vocabulary");
  add(o.character_coverage, "character-coverage X", {between(0.98, 1)},
      "share of the characters that get a piece (spm)");
  add(o.text.min_freq, "min-freq N", {at_least(1)}, "rarer words become <unk> (all but spm)");
  add(o.overwrite, "overwrite", {Persistence::never}, "replace the file if it exists");
  add.group("general");
  add(o.text.lowercase, "lowercase", "lower-case the text first");
}

void list_options(CodeOptions& o, OptionList& add) {
  add.summary(add.program() == "xformer-vocab decode"
                  ? "Pieces or ids to text.\n\n  xformer-vocab decode -m VOCABULARY -i FILE\n"
                  : "Text to pieces or ids.\n\n  xformer-vocab encode -m VOCABULARY -i FILE\n");
  add.group("text");
  add(o.model, "model -m FILE|DIR",
      "vocabulary: ours, a SentencePiece model, or a list of another toolkit; or a model, whose text is "
      "lower-cased if it was trained so");
  add(o.input, "input -i FILE", {bare}, "one sentence a line; -: standard input");
  add(o.output, "output -o FILE", "-: standard output");
  add(o.format, "format --output-format --input-format", {one_of("piece|id")}, "of the encoded side");
  add(o.side, "side", {one_of("source|target")}, "of a model with two vocabularies");
  if (add.program() == "xformer-vocab decode") return;
  add.group("general");
  add(o.lowercase, "lowercase", "lower-case the text first");
}

void list_options(CheckOptions& o, OptionList& add) {
  add.summary(add.program() == "xformer-vocab check"
                  ? "Looks for what training would stumble over.\n\n  xformer-vocab check train.en train.de\n"
                  : "Counts lines, words, characters and tokens.\n\n  xformer-vocab stats FILE...\n");
  add.group("text");
  add(o.input, "input -i FILE...", {any_number, bare}, "text files; check: one, or two that are parallel");
  add(o.tsv, "tsv", "lines of two texts with a tab between them: each column is a text");
  add(o.model, "model -m FILE...|DIR", {up_to(2)},
      "vocabulary: count tokens and unknown ones; two: one per side; or a model, for both");
  add(o.max_length, "max-length N", {at_least(1)},
      "longer lines are reported: in tokens, or in words without -m");
  add.group("general");
  add(o.lowercase, "lowercase", "lower-case the text first");
}

void list_options(FieldOptions& o, OptionList& add) {
  add.summary(
      "The first lines of a text as one padded batch, by the options of torchtext's Field. Several files "
      "share\n"
      "one vocabulary.\n\n"
      "  xformer-vocab field train.en --init-token '<sos>' --eos-token '<eos>' --batch-first\n");
  add.group("field");
  add(o.input, "input -i FILE...", {any_number, bare}, "text; several files share the vocabulary");
  add(o.num_examples, "num-examples N", {at_least(1)}, "lines of each file that make its batch");
  add(o.format, "format", {one_of("piece|id")}, "show words or ids");
  add(o.sequential, "sequential", "false: a line is one token, neither cut nor padded");
  add(o.text.tokenizer, "tokenizer", {one_of("whitespace|icu|spacy3|spacy2.2")}, "how a line is cut");
  add(o.text.languages, "languages L", "of the text, en or de, for spaCy's rules; else as its name ends");
  add(o.use_vocab, "use-vocab", "false: tokens are numbers already");
  add(o.text.min_freq, "min-freq N", {at_least(1)}, "rarer words become --unk-token");
  add(o.max_size, "max-size N", {between(0, 1e8)}, "words besides the special tokens; 0: all");
  add(o.stop_words, "stop-words WORD...", {any_number}, "words that are left out");
  add(o.unk_token, "unk-token TOKEN", "of words outside the vocabulary; none: such a word is an error");
  add(o.pad_token, "pad-token TOKEN", "fills short rows; none: all must be of equal length");
  add(o.init_token, "init-token TOKEN", "put before each example");
  add(o.eos_token, "eos-token TOKEN", "put behind each example");
  add(o.fix_length, "fix-length N", {between(1, 1e6)},
      "tokens of every row, init and eos counted; else as the longest");
  add(o.pad_first, "pad-first", "padding goes in front");
  add(o.truncate_first, "truncate-first", "what is over --fix-length is cut in front");
  add(o.include_lengths, "include-lengths", "tell each example's length without padding");
  add(o.batch_first, "batch-first", "an example is a row; else a column");
  add.group("general");
  add(o.text.lowercase, "lowercase", "lower-case the text first");
}

void list_options(PaddingOptions& o, OptionList& add) {
  add.summary(
      "How many batches an epoch has, and what share of them padding would be: in random order, from sorted "
      "pools,\n"
      "and sorted as a whole.\n\n"
      "  xformer-vocab batches train.en train.de --mini-batch 128 --maxi-batch 100\n");
  add.group("batches");
  add(o.input, "input -i SRC TRG", {up_to(2), bare}, "parallel text");
  add(o.model, "model -m FILE [FILE]|DIR", {up_to(2)},
      "vocabularies, or a model's, whose tokens are counted; none: words at white space");
  add(o.mini_batch, "mini-batch N", {between(1, kLargestBatch)}, "sentences of a batch");
  add(o.mini_batch_words, "mini-batch-words N", {between(8, 1e8)},
      "target tokens of a batch, instead of sentences");
  add(o.maxi_batch, "maxi-batch N", {between(1, 1e8)}, "batches of a pool");
  add(o.maxi_batch_sort, "maxi-batch-sort", {one_of("src|trg|both")},
      "by the length of which side a pool is sorted; both: by the interleaved bits of the two");
  add(o.shuffle, "shuffle", {one_of("data|batches|none")},
      "order of the pairs and of a pool's batches; or of all batches alone");
  add(o.seed, "seed N", {at_least(0)}, "of the shuffling");
  add.group("general");
  add(o.lowercase, "lowercase", "lower-case the text first");
}

void list_options(DemoCorpusOptions& o, OptionList& add) {
  add.summary("Writes the English-German demo corpus.\n\n  xformer-vocab demo-corpus DIR\n");
  add.group("demo corpus");
  add(o.output, "output -o DIR", {bare}, "folder for train, valid and test in .en and .de");
  add(o.seed, "seed N", {at_least(0)}, "another seed, another corpus");
  add(o.overwrite, "overwrite", {Persistence::never}, "replace files that exist");
  add(o.pairs, "pairs N", {at_least(1)},
      "to train on; beyond 20000 a sentence may come again, though none that is held out");
}

void list_options(DemoMoleculesOptions& o, OptionList& add) {
  add.summary(
      "Writes a corpus of molecules as SMILES strings: canonical ones, and of the same molecules random "
      "ones.\n\n"
      "  xformer-vocab demo-molecules DIR\n");
  add.group("demo molecules");
  add(o.output, "output -o DIR", {bare}, "folder for train, valid and test in .smi and .random.smi");
  add(o.seed, "seed N", {at_least(0)}, "another seed, another corpus");
  add(o.overwrite, "overwrite", {Persistence::never}, "replace files that exist");
}

// ---- explain

void list_options(OpOptions& o, OptionList& add) {
  add.summary(
      "An op's equations by id (docs/derivations), with the values that they have on numbers of yours: of "
      "the\n"
      "plain kernel, of the fast one, and of central differences. Without a name: the ops and their "
      "inputs.\n\n"
      "  xformer-explain op layer_norm --x 1,2,3,4 --dy 1,0,0,0\n");
  add.group("op", Persistence::never);
  add(o.op, "op NAME", {bare}, "the op");
  add(o.x, "x ROWS", "the main input, as 1,2,3;4,5,6; default: an example");
  add(o.dy, "dy ROWS", "the gradient from above");
  add(o.with, "with NAME=ROWS...", {any_number}, "another input, as gamma=1,2,3,4");
  list_page(o, add, "text|json");
}

void list_options(StepsOptions& o, OptionList& add) {
  add.summary(
      "A walk through a small Transformer with its numbers: embedding, attention, layers, stacks, masks, "
      "logits;\n"
      "for each step its shapes, values, equations (docs/derivations) and the lines of code that made "
      "them.\n\n"
      "  xformer-explain steps --task tutorials/by-hand --step 2.1.1\n");
  add.group("steps", Persistence::never);
  add(o.task, "task", {one_of("tutorials/by-hand"), formerly_values("seed001=tutorials/by-hand")},
      "the model that is walked through");
  add(o.step, "step NUMBER", "one step alone, as 2.1.1");
  list_page(o, add, "text|json|svg|html");
}

void list_options(MasksOptions& o, OptionList& add) {
  add.summary(
      "Which positions may see which, padded and packed, and what a fill value does to a row of "
      "probabilities.\n\n"
      "  xformer-explain masks --source '1 1 4 0; 4 3 2 9' --target '5 2 5 0; 6 7 9 8' --pad 0\n");
  add.group("masks", Persistence::never);
  add(o.source, "source WORDS", "the encoder's sentences, apart by ';': words or ids; default: an example");
  add(o.target, "target WORDS", "the decoder's, as many");
  add(o.pad, "pad WORD", "what stands behind a sentence that is shorter than others");
  list_page(o, add, "text|json|svg|html");
}

void list_options(PositionsOptions& o, OptionList& add) {
  add.summary(
      "The sinusoids that tell the model where a token stands: table, heat map and curves.\n\n"
      "  xformer-explain positions --length 50 --dim 64 -f svg -o positions.svg\n");
  add.group("positions", Persistence::never);
  add(o.length, "length N", {between(1, 2048)}, "positions");
  add(o.dim, "dim N", {between(2, 1024)}, "width of the model");
  add(o.layout, "layout", {one_of("interleaved|split")},
      "sine and cosine in turn, as in the paper, or all sines first");
  add(o.columns, "columns N...", {at_least(0), any_number},
      "columns to write out and to draw as curves; default: a few that span the table");
  list_page(o, add, "text|json|svg|html");
}

void list_options(AttentionOptions& o, OptionList& add) {
  add.summary(
      "What each head of a trained model looks at, for one sentence and its translation.\n\n"
      "  xformer-explain attention -m RUN 'The animal was tired' -f html -o attention.html\n");
  add.group("attention", Persistence::never);
  add(o.sentence, "sentence WORDS", {any_number, bare}, "what to translate or to read; default: an example");
  add(o.model, "model -m DIR", kRunHelp);
  add(o.target, "target WORDS", "its translation; default: the model's own");
  add(o.part, "part", {one_of("encoder|self|cross|all")}, "encoder, decoder self-attention, cross-attention");
  add(o.layer, "layer N,...", "which layers, from 0");
  add(o.head, "head N,...", "which heads, from 0");
  add(o.focus, "focus WORD", "what this word looks at, alone");
  list_page(o, add, "text|json|svg|html");
  list_general(o.compute, add);
}

void list_options(FlowOptions& o, OptionList& add) {
  add.summary(
      "Data on its way through a part of the Transformer, with the values of one sentence, as an animated "
      "picture.\n\n"
      "  xformer-explain flow encoder -o encoder.svg\n"
      "  xformer-explain flow decoding -m RUN \"A dog sleeps.\" -o decoding.svg\n");
  add.group("flow", Persistence::never);
  add(o.subject, "subject SUBJECT [SENTENCE]", {up_to(2), bare},
      "model, encoder, training, decoding, attention, feed_forward or positions; with -m, what to translate");
  add(o.model, "model -m DIR", "run folder or checkpoint; default: a micro-model with random weights");
  list_page(o, add, "text|json|svg|html");
  list_general(o.compute, add);
}

void list_options(TapeOptions& o, OptionList& add) {
  add.summary(
      "The tape of one training step: each node, what it reads and makes, the memory in use, and the "
      "gradient that\n"
      "reached it.\n\n"
      "  xformer-explain tape\n"
      "  xformer-explain tape -m RUN \"A dog runs.\" --target \"Ein Hund rennt.\" --format svg -o tape.svg\n");
  add.group("tape", Persistence::never);
  list_pair(o, add);
  list_page(o, add, "text|json|svg");
  add.group("general");
  list_threads(o.compute, add);
}

void list_options(GradientsOptions& o, OptionList& add) {
  add.summary(
      "Each parameter's gradient for one sentence pair; with --check its error against central "
      "differences.\n\n"
      "  xformer-explain gradients --check\n"
      "  xformer-explain gradients --check -m RUN \"A dog runs.\" --target \"Ein Hund rennt.\"\n");
  add.group("gradients", Persistence::never);
  list_pair(o, add);
  add(o.check, "check", "compare with central differences in f64; exit code 1 where one is off");
  add(o.samples, "samples N", {between(1, 1000)},
      "elements per parameter: the largest gradient's and others drawn");
  add(o.seed, "seed N", {at_least(0)}, "another seed draws others");
  list_page(o, add, "text|json");
  add.group("general");
  list_threads(o.compute, add);
}

void list_options(BeamOptions& o, OptionList& add) {
  add.summary(
      "The beam search for one sentence: which hypotheses live, end and fall off, and how the winner is "
      "found.\n\n"
      "  xformer-explain beam -m RUN \"A dog runs.\" --format svg -o beam.svg\n");
  add.group("beam", Persistence::never);
  add(o.source, "source SENTENCE", {bare}, "what is to be translated");
  add(o.model, "model -m DIR", kRunHelp);
  add(o.beam_size, "beam-size -b N", {between(1, 64)},
      "hypotheses followed at a time; default: as in training");
  add(o.normalize, "normalize -n A", {between(0, kLargestPower)},
      "score = log-probability / length^A; default: as in training");
  list_page(o, add, "text|json|svg|html");
  list_general(o.compute, add);
}

void list_options(LogitsOptions& o, OptionList& add) {
  add.summary(
      "The best tokens at each target position: logits, probabilities, and the loss.\n\n"
      "  xformer-explain logits -m RUN \"A dog runs.\" --target \"Ein Hund rennt.\"\n");
  add.group("logits", Persistence::never);
  add(o.source, "source SENTENCE", {bare}, "what is to be translated");
  add(o.model, "model -m DIR", kRunHelp);
  add(o.target, "target SENTENCE", "the translation to be followed; default: the model's own");
  add(o.top, "top K", {between(1, 100)}, "tokens per position");
  add(o.position, "position N", {at_least(1)}, "this position alone, from 1");
  list_page(o, add, "text|json|svg");
  list_general(o.compute, add);
}

void list_options(QuirkOptions& o, OptionList& add) {
  add.summary(
      "What published Transformers do otherwise, beside what is correct, in numbers (docs/variants). "
      "Without a\n"
      "name: the list of them.\n\n"
      "  xformer-explain quirk Q1\n"
      "  xformer-explain quirk Q5 -f svg -o positions.svg\n");
  add.group("quirk", Persistence::never);
  add(o.quirk, "quirk QN", {bare}, "Q1 to Q25; default: the list of them");
  list_page(o, add, "text|json|svg|html");
}

// ---- bench

void list_options(BenchOptions& o, OptionList& add) {
  add.summary(
      "Times kernels, the training step and whole programs against this machine's floor and against "
      "peers.\n\n"
      "  xformer-bench --fn train_step --preset tiny\n"
      "  xformer-bench --fn layer_norm --baseline torch\n"
      "  xformer-bench --kernel mine.so --fn layer_norm_forward --shape N=4096,D=1:65536:*2\n"
      "  xformer-bench --against OTHER/xformer-bench --fail-if-regression 5%\n"
      "  xformer-bench report --help    a page of stored results\n");
  add.group("what is timed");
  add(o.fn, "fn REGEX", "functions to time, a regular expression: train_step, layer_norm, linear_.*");
  add(o.shape, "shape REGEX|SIZES",
      "shapes to time: a regular expression, 4088x128; or sizes by name, lists and ranges of them, "
      "N=4096,D=128,512 or N=4096,D=1:65536:*2");
  add(o.preset, "preset", {one_of("tiny|base|odd|gpt2|smollm2-135m|qwen3-0.6b|gemma2-2b|llama3.1-8b")},
      "shapes of a model's step, the tests' odd ones, or those of a language model's kernels");
  add(o.dtype, "dtype", {one_of("f32|f64|bf16|int8")},
      "type of the elements; int8: --end-to-end translate as with --precision int8");
  add(o.device, "device cpu|cuda[:N]", "where to compute");
  add(o.baseline, "baseline", {one_of("none|f32|floor|naive|onednn|cublaslt|cudnn|torch|ctranslate2")},
      "what to compare with; f32: ours in that type; floor: a step's, measured in turn with it");
  add(o.threads, "threads N", {between(0, 1024)},
      "0: as many as OMP_NUM_THREADS says, or this process may use");
  add(o.samples, "samples N", {between(0, 1e9)}, "samples per step, or per visit of a kernel; 0: by itself");
  add(o.warm, "warm", "leave inputs in the cache; else kernels rotate through more than fits");
  add(o.check, "check", "compare with the f64 definition first");
  add(o.check_only, "check-only", "compare with the f64 definition, and time nothing");
  add(o.inject_slowdown, "inject-slowdown X", {between(0, 1000), seldom, formerly("plant")},
      "report every time longer by this share, to see --fail-if-regression notice");
  add(o.list, "list", "names and shapes only");
  add(o.count_launches, "count-launches",
      "what a training step launches, read from its recorded graph; --device cuda");
  add.group("a kernel of yours");
  add(o.kernel, "kernel FILE",
      "a kernel of yours for the function --fn, checked and timed in turn with ours: a C function in "
      "FILE.so, a Python one in FILE.py, or a command line that answers (docs/your_kernel.md)");
  add(o.kernel_limit, "kernel-limit SECONDS", {between(0.001, 1e6)}, "how long a call of it may take");
  add(o.kernel_header, "kernel-header",
      "print the C header for --kernel, xformer_kernel.h, and do nothing else");
  add.group("results");
  add(o.format, "format", {one_of("table|json|csv")}, "form of the output");
  add(o.roofline, "roofline", "intensity of each row, and which ceiling is above it");
  add(o.label, "label LABEL",
      "store the results as bench/results/LABEL.json, or at a path that ends in .json");
  add(o.add, "add", "pool with what the label holds already, instead of replacing it");
  add(o.scaling, "scaling", "time per token against batch, sentence length, width and vocabulary");
  add.group("before and after");
  add(o.against, "against PROGRAM", "another build of this program, timed in turn with it: what changed");
  add(o.compare, "compare A,B", "two labels or files: what changed from A to B");
  add(o.fail_if_regression, "fail-if-regression 5%",
      "exit code 1 if a row of --against or --compare is slower by more, or was not timed enough to tell");
  add(o.turns, "turns", {one_of("answer"), bare, Persistence::never, seldom},
      "take turns with another build, which calls this one so for --against");
  add.group("whole programs");
  add(o.end_to_end, "end-to-end", {one_of("train|translate")}, "whole programs");
  add(o.model, "model DIR", "run folder to translate with; default: what tools/demo.sh left");
  add(o.input, "input FILE", "text to translate");
  add(o.data, "data DIR", "folder with train.en and train.de, to train on");
  add(o.beam, "beam N", {between(1, 64)}, "width of the search; always also greedy");
  add(o.mini_batch, "mini-batch N", {between(1, kLargestBatch)},
      "sentences of a batch; always also one at a time");
  add(o.updates, "updates N", {at_least(1)}, "of end-to-end training");
}

void list_options(BenchReportOptions& o, OptionList& add) {
  add.summary(
      "A page of stored results: rooflines, peers, history.\n\n"
      "  xformer-bench report before after --output report.html\n");
  add.group("report");
  add(o.results, "results RESULTS...", {any_number, bare, Persistence::never},
      "labels or files, the oldest first");
  add(o.output, "output FILE", "the page");
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
