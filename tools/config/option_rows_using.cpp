#include "tools/config/option_rows.h"

namespace xf::tools {
namespace {

constexpr Programs kTranslate = Program::translate;
constexpr Programs kVocabTrain = Program::vocab_train;
constexpr Programs kDemoCorpus = Program::vocab_demo_corpus;
constexpr Programs kField = Program::vocab_field;
constexpr Programs kBatches = Program::vocab_batches;
constexpr Programs kDemoMolecules = Program::vocab_demo_molecules;
constexpr Programs kReport = Program::vocab_check | Program::vocab_stats;

constexpr Programs kMeasuring = Program::score_lm;
constexpr Programs kGenerate = Program::generate;
constexpr Programs kClassify = Program::classify;

constexpr Programs kOnDevices =
    Program::train | Program::translate | kMeasuring | kGenerate | kClassify | kExplainTranslating;
constexpr Programs kComputing = kOnDevices | kExplainComputing;
constexpr Programs kLowercase = Program::vocab_train | Program::vocab_encode | Program::vocab_check |
                                Program::vocab_stats | Program::vocab_field | Program::vocab_batches;
constexpr Programs kAll = Programs::all();

std::vector<Row> translate_options() {
  return {
      text("model", "", "DIR...",
           "run folder (its averaged model if there is one) or a checkpoint; several: an ensemble")
          .alias("-m --models")
          .up_to(16),
      real("weights", "", "W...", "of the models of an ensemble; default: all alike")
          .between(0, 1e30)
          .up_to(16)
          .seldom(),
      text("input", "-", "FILE", "text; -: standard input").alias("-i"),
      text("output", "-", "FILE", "one line for each input line; -: standard output").alias("-o"),
      integer("beam-size", "", "N", "hypotheses followed at a time; 1: greedy; default: as in training")
          .between(1, 64)
          .alias("-b"),
      real("normalize", "", "A",
           "hypotheses compare by log-probability / length^A, </s> counted; default: as in training")
          .between(0, kLargestPower)
          .alias("-n"),
      real("word-penalty", "0", "X",
           "each word adds X to a hypothesis's log-probability; above 0: longer translations")
          .between(-1000, 1000)
          .seldom(),
      integer("no-repeat-ngram-size", "0", "N",
              "no N pieces in a row come twice in a translation; 0: they may")
          .between(0, 64)
          .seldom(),
      flag("force-decode", "false",
           "lines are a source, a tab and what the translation begins with; without a tab: a source alone"),
      text("output-sampling", "", "full|topk K|nucleus P [T]",
           "draw each token, in place of search: from all, from the K most probable, or from the fewest that "
           "have "
           "probability P together; T: temperature")
          .up_to(3),
      integer("seed", "1", "N", "of --output-sampling: another seed, other translations").at_least(0),
      flag("n-best", "false", "all hypotheses: id ||| text ||| F0= log-probability ||| score"),
      flag("word-scores", "false",
           "behind each text ||| WordScores= the log-probability of each of its pieces, and of </s>")
          .seldom(),
      text("alignment", "", "hard|soft|X",
           "behind each text ||| which source token each of its tokens comes from: hard: pairs s-t of the "
           "largest "
           "weight; soft: all weights; X: pairs of weight X or more, 1: as hard. Tokens are pieces and </s>, "
           "from 0"),
      integer("alignment-layer", "", "N",
              "of the decoder, from 0, whose cross-attention is the alignment, mean over heads; else the "
              "last but one")
          .at_least(0)
          .seldom(),
      real("max-length-factor", "3", "X", "at most X times the source's tokens and 10 more").between(0, 1e6),
      integer("max-length", "256", "N", "and at most N tokens; a cut is reported").at_least(1),
      flag("allow-unk", "false", "let the output contain <unk>"),
      flag("no-spm-encode", "false", "the input is pieces already, apart by spaces").seldom(),
      flag("no-spm-decode", "false", "the output stays pieces, apart by spaces").seldom(),
      flag("interactive", "false",
           "translate each line as it is written: score, tab, translation; Ctrl-D ends"),
      flag("continue", "false",
           "where a run is stopped or killed the same command goes on; until the end the lines lie in "
           "OUTPUT.unfinished"),
      integer("stat-freq", "0", "N", "after every N lines say how many there are, and how fast; 0: never")
          .at_least(0)
          .seldom(),
      text("teacher-forced", "", "REF",
           "no search: the likeliest word at each position of the lines of REF, each knowing the right words "
           "before it"),
      choice("output-format", "plain|seed", "plain",
             "of --teacher-forced; seed: as two tutorials print source, target, prediction and their BLEU"),
      integer("num-examples", "", "N", "of --output-format seed: the first N pairs of each batch; else all")
          .at_least(0),
      integer("mini-batch", "128", "N", "sentences translated together").between(1, kLargestBatch),
      precision_option(),
  };
}

std::vector<Row> generate_options() {
  return {
      text("model", "", "DIR", kRunHelp).alias("-m"),
      text("input", "", "FILE", "a prompt a line, to go on from; -: standard input; none: the empty prompt")
          .alias("-i"),
      text("output", "-", "FILE", "prompts and what follows, a line each; -: standard output").alias("-o"),
      integer("samples", "1", "N", "lines for each prompt").between(1, 1e9),
      real("temperature", "1", "X", "below 1 the probable becomes more so; 0: always the most probable token")
          .between(0, 1e6),
      integer("top-k", "0", "N", "draw among the N most probable tokens; 0: among all").at_least(0),
      real("top-p", "1", "P", "of these, among the fewest that have probability P together; 1: among all")
          .between(0, 1),
      integer("max-length", "100", "N", "at most N tokens a line; a cut is reported").between(1, 2048),
      integer("seed", "1", "N", "another seed, other lines").at_least(0),
      integer("mini-batch", "64", "N", "lines written together").between(1, kLargestBatch),
      precision_option(),
  };
}

std::vector<Row> classify_options() {
  return {
      text("model", "", "DIR", kRunHelp).alias("-m"),
      text("input", "-", "FILE", "a text a line; -: standard input").alias("-i"),
      text("output", "-", "FILE", "class, tab, probability for each line; -: standard output").alias("-o"),
      flag("all-classes", "false", "all classes, the most probable first"),
      integer("mini-batch", "256", "N", "texts read together").between(1, kLargestBatch),
      precision_option(),
  };
}

std::vector<Row> vocab_train_options() {
  return {
      text("input", "", "FILE...", "text; several files make one joint vocabulary")
          .alias("-i")
          .any_number()
          .bare(),
      flag("tsv", "false", "lines of two texts with a tab between them: the vocabulary is of both"),
      text("model", "", "FILE", "the vocabulary to write").alias("-m --output -o"),
      choice("tokenizer", "spm|whitespace|icu|character|spacy3|spacy2.2", "spm",
             "SentencePiece BPE, words as they stand, single characters, or words by ICU's or spaCy's rules"),
      text("languages", "", "L", "of the text, en or de, for spaCy's rules; else as its name ends"),
      integer("vocab-size", "10000", "N", "pieces of a BPE vocabulary").between(8, 1e8),
      real("character-coverage", "1", "X", "share of the characters that get a piece (spm)").between(0.98, 1),
      integer("min-freq", "2", "N", "rarer words become <unk> (all but spm)").at_least(1),
      flag("overwrite", "false", "replace the file if it exists").keeps(Keep::never),
  };
}

std::vector<Row> vocab_code_options(const char* side) {
  return {
      text("model", "", "FILE|DIR",
           "vocabulary: ours, a SentencePiece model, or a list of another toolkit; or a model, whose text is "
           "lower-cased if "
           "it was trained so")
          .alias("-m"),
      text("input", "-", "FILE", "one sentence a line; -: standard input").alias("-i").bare(),
      text("output", "-", "FILE", "-: standard output").alias("-o"),
      choice("format", "piece|id", "piece", "of the encoded side").alias("--output-format --input-format"),
      choice("side", "source|target", side, "of a model with two vocabularies"),
  };
}

std::vector<Row> vocab_report_options() {
  return {
      text("input", "", "FILE...", "text files; check: one, or two that are parallel")
          .alias("-i")
          .any_number()
          .bare(),
      flag("tsv", "false", "lines of two texts with a tab between them: each column is a text"),
      text("model", "", "FILE...|DIR",
           "vocabulary: count tokens and unknown ones; two: one per side; or a model, for both")
          .alias("-m")
          .up_to(2),
      integer("max-length", "100", "N", "longer lines are reported: in tokens, or in words without -m")
          .at_least(1),
  };
}

std::vector<Row> field_options() {
  return {
      text("input", "", "FILE...", "text; several files share the vocabulary")
          .alias("-i")
          .any_number()
          .bare(),
      integer("num-examples", "3", "N", "lines of each file that make its batch").at_least(1),
      choice("format", "piece|id", "piece", "show words or ids"),
      flag("sequential", "true", "false: a line is one token, neither cut nor padded"),
      choice("tokenizer", "whitespace|icu|spacy3|spacy2.2", "whitespace", "how a line is cut"),
      text("languages", "", "L", "of the text, en or de, for spaCy's rules; else as its name ends"),
      flag("use-vocab", "true", "false: tokens are numbers already"),
      integer("min-freq", "1", "N", "rarer words become --unk-token").at_least(1),
      integer("max-size", "0", "N", "words besides the special tokens; 0: all").between(0, 1e8),
      text("stop-words", "", "WORD...", "words that are left out").any_number(),
      text("unk-token", "<unk>", "TOKEN", "of words outside the vocabulary; none: such a word is an error"),
      text("pad-token", "<pad>", "TOKEN", "fills short rows; none: all must be of equal length"),
      text("init-token", "none", "TOKEN", "put before each example"),
      text("eos-token", "none", "TOKEN", "put behind each example"),
      integer("fix-length", "", "N", "tokens of every row, init and eos counted; else as the longest")
          .between(1, 1e6),
      flag("pad-first", "false", "padding goes in front"),
      flag("truncate-first", "false", "what is over --fix-length is cut in front"),
      flag("include-lengths", "false", "tell each example's length without padding"),
      flag("batch-first", "false", "an example is a row; else a column"),
  };
}

std::vector<Row> batches_options() {
  return {
      text("input", "", "SRC TRG", "parallel text").alias("-i").up_to(2).bare(),
      text("model", "", "FILE [FILE]|DIR",
           "vocabularies, or a model's, whose tokens are counted; none: words at white space")
          .alias("-m")
          .up_to(2),
      integer("mini-batch", "128", "N", "sentences of a batch").between(1, kLargestBatch),
      integer("mini-batch-words", "", "N", "target tokens of a batch, instead of sentences")
          .between(8, kLargestBatch),
      integer("maxi-batch", "100", "N", "batches of a pool").between(1, kLargestBatch),
      choice("maxi-batch-sort", "src|trg|both", "both",
             "by the length of which side a pool is sorted; both: by the interleaved bits of the two"),
      choice("shuffle", "data|batches|none", "data",
             "order of the pairs and of a pool's batches; or of all batches alone"),
      integer("seed", "1", "N", "of the shuffling").at_least(0),
  };
}

std::vector<Row> made_corpus_options(std::string_view folder) {
  return {
      text("output", "", "DIR", folder).alias("-o").bare(),
      integer("seed", "1", "N", "another seed, another corpus").at_least(0),
      flag("overwrite", "false", "replace files that exist").keeps(Keep::never),
  };
}

std::vector<Row> shared_options() {
  return {
      flag("lowercase", "false", "lower-case the text first").only(kLowercase),
      text("device", "auto", "auto|cpu|cuda[:N]",
           "where to compute; auto: on the first CUDA device that can be used, else the CPU")
          .only(kOnDevices)
          .of_ranks(AmongRanks::own),
      integer("cpu-threads", "0", "N", "0: as many as OMP_NUM_THREADS says, or this process may use")
          .between(0, 1024)
          .only(kComputing)
          .of_ranks(AmongRanks::own),
      text("task", "transformer-tiny", "NAME",
           "preset that sets what is not given: transformer-tiny, transformer-base, multi30k, multi30k-fast, "
           "demo, "
           "language-model, smiles, classification")
          .only(Program::train),
      text("config", "", "FILE",
           "TOML file with the same names; the command line goes before it, the task after it")
          .alias("-c")
          .only(Program::train)
          .keeps(Keep::never)
          .of_ranks(AmongRanks::own),
      text("config", "", "FILE", "TOML file with the same names; the command line goes before it")
          .alias("-c")
          .only(Programs::all_but(Program::train))
          .keeps(Keep::never),
      flag("dump-config", "", "print the effective configuration, and end").keeps(Keep::never),
      flag("quiet", "false", "errors only").alias("-q").keeps(Keep::once).of_ranks(AmongRanks::own),
      flag("help", "", "print the options that matter most, and end").alias("-h").keeps(Keep::never),
      flag("help-all", "", "print every option, and end").keeps(Keep::never),
      flag("version", "", "print the version, and end").keeps(Keep::never),
      flag("build-info", "", "print compiler, flags, libraries and devices, and end").keeps(Keep::never),
  };
}

}  // namespace

OptionGroup using_options() {
  return {{"translation", kTranslate, Keep::free, translate_options()},
          {"generation", kGenerate, Keep::free, generate_options()},
          {"classification", kClassify, Keep::free, classify_options()},
          {"vocabulary", kVocabTrain, Keep::free, vocab_train_options()},
          {"text", Program::vocab_encode, Keep::free, vocab_code_options("source")},
          {"text", Program::vocab_decode, Keep::free, vocab_code_options("target")},
          {"text", kReport, Keep::free, vocab_report_options()},
          {"field", kField, Keep::free, field_options()},
          {"batches", kBatches, Keep::free, batches_options()},
          {"demo corpus", kDemoCorpus, Keep::free,
           made_corpus_options("folder for train, valid and test in .en and .de")},
          {"demo corpus",
           kDemoCorpus,
           Keep::free,
           {integer("pairs", "20000", "N",
                    "to train on; beyond 20000 a sentence may come again, though none that is held out")
                .at_least(1)}},
          {"demo molecules", kDemoMolecules, Keep::free,
           made_corpus_options("folder for train, valid and test in .smi and .random.smi")},
          {"general", kAll, Keep::free, shared_options()}};
}

}  // namespace xf::tools
