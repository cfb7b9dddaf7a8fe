#include "core/input_limits.h"
#include "tools/config/option_rows.h"

namespace xf::tools {
namespace {

constexpr Programs kTrain = Program::train;
constexpr double kMaxDropout = 0.99;
// No model comes near them; beyond, sizes would be counted in more than 64 bits.
constexpr double kWidest = limits::kWidest, kMostLayers = limits::kMostLayers, kMostIds = 1e8;
// Of an update, which are in memory together.
constexpr double kMostBatches = 10000;

std::vector<Row> data_options() {
  return {
      text("train-sets", "", "SRC TRG...",
           "training text, plain, .gz or .zst; the order says the direction; several: one after the other. A "
           "language model: FILE; a classifier: TEXT LABELS")
          .alias("-t")
          .up_to(128)
          .keeps(Keep::free)
          .of_ranks(AmongRanks::place),
      text("valid-sets", "", "SRC TRG", "validation text, as for --train-sets")
          .up_to(2)
          .keeps(Keep::free)
          .of_ranks(AmongRanks::place),
      text("test-sets", "", "SRC TRG...",
           "text that the averaged model is measured on when training ends; several pairs: one after the "
           "other")
          .up_to(32)
          .keeps(Keep::free)
          .seldom()
          .of_ranks(AmongRanks::place),
      real("train-weights", "", "X...",
           "for each training text how often an epoch has its pairs: 2 twice, 0.5 half of them, drawn anew "
           "each "
           "epoch")
          .between(0, 1000)
          .up_to(64)
          .seldom(),
      text("cache", "", "DIR",
           "prepare the text in this folder, once for all runs that read it so; else only a text of over 256 "
           "MB "
           "is prepared, in the run folder")
          .keeps(Keep::once)
          .seldom()
          .of_ranks(AmongRanks::place),
      flag("cache-of-others", "false",
           "train on what other users have prepared there, too; they are trusted with it")
          .keeps(Keep::once)
          .seldom(),
      flag("tsv", "false", "a text is one file of lines SRC TAB TRG, or TEXT TAB LABEL").keeps(Keep::free),
      text("vocabs", "", "FILE [FILE]",
           "vocabularies, SentencePiece models or lists of words; one file: both sides share it; none: "
           "trained "
           "from the training text")
          .alias("-v")
          .up_to(2)
          .keeps(Keep::free)
          .of_ranks(AmongRanks::place),
      flag("allow-unknown", "false", "train on text of which a given vocabulary knows less than half")
          .keeps(Keep::free)
          .seldom(),
      integer("vocab-size", kByTask, "N", "pieces of a vocabulary trained here").between(8, kMostIds),
      integer("spm-input-sentences", "1000000", "N",
              "learn a vocabulary from at most so many lines of a side, drawn from the text")
          .at_least(1)
          .seldom(),
      integer("vocab-sizes", "", "N M", "sizes for --print-model without data; of a language model one")
          .between(2, kMostIds)
          .up_to(2)
          .keeps(Keep::never)
          .seldom(),
      flag("joint-vocab", kByTask, "one vocabulary for both sides when it is trained here"),
      choice(
          "tokenizer", "spm|whitespace|icu|character|spacy3|spacy2.2", kByTask,
          "SentencePiece BPE, or with a word vocabulary words as they stand in the text, single characters, "
          "or words by ICU's or spaCy's rules"),
      text("languages", "", "L L", "of each side, en or de, for spaCy's rules; else as file names end")
          .up_to(2)
          .seldom(),
      integer("min-freq", "2", "N", "rarer words become <unk> (all but spm)").at_least(1).seldom(),
      integer("max-length", "100", "N", "leave out training pairs with more tokens on a side")
          .between(1, kMostIds),
      flag("max-length-crop", "false", "crop them instead").seldom(),
      flag("lowercase", kByTask, "lower-case all text"),
  };
}

std::vector<Row> model_options() {
  return {
      choice("type", "translation|language-model|classification", "translation",
             "encoder and decoder; a decoder alone (--enc-depth 0); an encoder alone (--dec-depth 0)"),
      integer("dim-emb", kByTask, "N", "width of the model").between(2, kWidest),
      integer("enc-depth", kByTask, "N", "encoder layers").between(0, kMostLayers),
      integer("dec-depth", kByTask, "N", "decoder layers").between(0, kMostLayers),
      integer("transformer-heads", kByTask, "N", "attention heads; they divide the width")
          .between(1, kWidest),
      integer("transformer-dim-ffn", kByTask, "N", "inner width of the feed-forward block")
          .between(1, kMostIds),
      choice("norm", "post|pre", kByTask, "layer normalisation after each block (the paper) or before it"),
      real("layer-norm-epsilon", "1e-05", "X",
           "what layer normalisation adds to the variance; others have 1e-06")
          .between(1e-12, 0.1)
          .seldom(),
      choice("transformer-ffn-activation", "relu|gelu|swish", kByTask,
             "between the two feed-forward layers; swish, also called SiLU: x sigmoid(x)"),
      flag("tied-embeddings", kByTask, "target embedding and output layer share one matrix"),
      flag("tied-embeddings-all", kByTask,
           "and the source embedding too; a vocabulary for each side unties it"),
      flag("transformer-train-positions", "false",
           "learn a vector for each position, up to --max-length, which is then also where translations end; "
           "else "
           "sines and cosines")
          .seldom(),
      flag("transformer-rotary-positions", "false",
           "turn queries and keys of self-attention by their places (RoPE) instead of adding sines and "
           "cosines to the "
           "embeddings"),
      choice(
          "position-layout", "interleaved|split|marian", "interleaved",
          "sine and cosine in turn (the paper) or in two halves; marian: in halves, of Marian's frequencies")
          .seldom(),
      text(
          "quirks", "", "NAME=VALUE...",
          "what published tutorials do otherwise (docs/quirks.md), such as pad-axis=both; slower, on the CPU")
          .up_to(32)
          .seldom(),
  };
}

std::vector<Row> regularisation_options() {
  return {
      real("transformer-dropout", kByTask, "P", "on embeddings and on each block's output")
          .between(0, kMaxDropout),
      real("transformer-dropout-attention", kByTask, "P", "on attention probabilities")
          .between(0, kMaxDropout)
          .seldom(),
      real("transformer-dropout-ffn", kByTask, "P", "inside the feed-forward block")
          .between(0, kMaxDropout)
          .seldom(),
      real("dropout-src", "0", "P", "of words that the encoder reads, which are <unk> then")
          .between(0, kMaxDropout)
          .seldom(),
      real("dropout-trg", "0", "P",
           "of words that the decoder reads; those that it is to predict stay as they are")
          .between(0, kMaxDropout)
          .seldom(),
      real("bpe-dropout", "0", "X",
           "probability with which a merge of SentencePiece's is left out, drawn anew each epoch; 0.1 helps "
           "where there "
           "is little text")
          .between(0, kMaxDropout)
          .seldom(),
      real("label-smoothing", kByTask, "X", "share of the probability spread over the whole vocabulary")
          .between(0, kMaxDropout),
      real("r-drop", "0", "X",
           "read each batch twice, with other dropout, and have the two agree, this much (R-Drop's alpha, 5 "
           "in its paper): "
           "a step takes twice as long")
          .between(0, 1000)
          .seldom(),
      amount("r-drop-after", "0u", "N", "updates or epochs before R-Drop, without it").seldom(),
  };
}

std::vector<Row> optimiser_options() {
  return {
      choice("shuffle", "data|batches|none", "data",
             "drawn anew each epoch: the order of the pairs, or of batches that are cut from the text as it "
             "stands")
          .seldom(),
      integer("bidirectional", "0", "N",
              "for the first N epochs read half of the pairs, other ones each time, in the other direction; "
              "needs a joint vocabulary")
          .between(0, kMostIds)
          .seldom(),
      integer("mini-batch-words", kByTask, "N",
              "target tokens of a batch, </s> included; of a classifier, tokens of its texts")
          .between(1, kMostIds),
      integer("mini-batch", "0", "N", "sentences of a batch, instead of words; 0: words")
          .between(0, kLargestBatch)
          .seldom(),
      flag("mini-batch-fit", "false",
           "batches of as many words as --workspace holds, whatever --mini-batch-words says")
          .seldom(),
      integer("maxi-batch", "0", "N",
              "sort the sentences of N batches by length before they are cut apart; 0: none are sorted")
          .between(0, kMostIds)
          .seldom(),
      choice("maxi-batch-sort", "src|trg|both|none", "both",
             "by the length of which side; both: by the interleaved bits of the two, as torchtext does")
          .seldom(),
      integer("optimizer-delay", kByTask, "N", "batches whose gradients make one update, of each process")
          .between(1, kMostBatches)
          .keeps(Keep::free),
      choice("optimizer", "adam|adamw|muon|sgd", kByTask,
             "adamw: weight decay apart from the gradient; muon: orthogonal updates of the matrices, adamw "
             "for the "
             "rest; sgd: gradient descent with momentum"),
      real("optimizer-params", kByTask, "X...",
           "beta1, beta2 and epsilon of Adam, and with muon its momentum, 0.95; or the momentum of sgd, "
           "which has none "
           "by default")
          .between(0, 1)
          .up_to(4)
          .seldom(),
      real("weight-decay", "0", "X", "weight decay").between(0, 10).seldom(),
      real("exponential-smoothing", "0", "X",
           "validate, save and translate with a mean of the weights to which each update moves it by X, 1e-4 "
           "for example; "
           "0: with the weights")
          .between(0, 0.5)
          .seldom(),
      real("learn-rate", kByTask, "X", "highest learning rate").between(0, 1e30),
      text("freeze", "", "REGEX...",
           "parameters whose names match stay as they are, ^encoder for example; their names: xformer-export "
           "inspect")
          .up_to(64)
          .seldom(),
      text("learn-rate-of", "", "REGEX=X...",
           "parameters whose names match learn at X times the learning rate; of several the first one that "
           "matches")
          .up_to(64)
          .seldom(),
      choice(
          "lr-schedule", "inverse-sqrt|noam|cosine|constant|plateau", kByTask,
          "after the warm-up; noam: the paper's, --learn-rate is its factor; cosine: to zero at the end that "
          "--after sets; plateau: cut when the first of --valid-metrics has stopped gaining"),
      amount("lr-warmup", kByTask, "N", "linear rise to the highest learning rate, in updates or epochs"),
      real("lr-decay", "0.9", "X", "plateau: a cut multiplies the learning rate by X").between(0, 1).seldom(),
      integer("lr-decay-patience", "10", "N", "plateau: N validations may be without gain, the next one cuts")
          .at_least(0)
          .seldom(),
      integer("lr-decay-start", "0", "N", "plateau: validations of the first N epochs do not count")
          .at_least(0)
          .seldom(),
      real("clip-norm", kByTask, "X", "largest norm of the token-mean gradient; 0: no limit").between(0, 1e9),
  };
}

std::vector<Row> stopping_options() {
  return {
      amount("after", kByTask, "N[,N]",
             "stop at the first of these: 100e epochs, 8000u updates, 2Gt tokens, 2h hours, 90m minutes")
          .up_to(8),
      integer("early-stopping", kByTask, "N", "stop after N validations without progress; 0: never")
          .at_least(0),
      choice("early-stopping-on", "first|any|all", "first",
             "which of --valid-metrics must have stalled: the first, any one of them, or all")
          .seldom(),
      real("early-stopping-epsilon", "0", "X", "progress smaller than this is none").between(0, 1e6).seldom(),
  };
}

std::vector<Row> validation_options() {
  return {
      amount("valid-freq", "1e", "N", "how often to validate; 0: never"),
      choice(
          "valid-metrics",
          "bleu|chrf|ce-mean-words|perplexity|ce-mean-batches|compat-bleu|word-perplexity|accuracy|macro-f1",
          "bleu chrf ce-mean-words perplexity",
          "the first one chooses the best checkpoint; each type of model has its own; ce-mean-batches and "
          "compat-bleu are what two tutorials report")
          .value("NAME...")
          .up_to(6),
      choice("tokenize", "13a|intl|char|zh|none", "",
             "how bleu cuts a line into tokens, as in xformer-score; default: 13a; zh or char where the "
             "references are written without spaces")
          .alias("-tok"),
      integer("valid-beam-size", "1", "N", "beam of the validation translations").between(1, 64),
      integer("valid-mini-batch", "64", "N", "sentences translated together")
          .between(1, kLargestBatch)
          .seldom(),
      integer("valid-print", "0 1 2", "N...", "sentences shown at each validation, counted from 0")
          .at_least(0)
          .up_to(100)
          .seldom(),
      integer("beam-size", "5", "N",
              "beam of the last translation, and the model's default in xformer-translate")
          .between(1, 64)
          .alias("-b"),
      real("normalize", "1", "A",
           "hypotheses compare by log-probability / length^A; also the model's default")
          .between(0, kLargestPower)
          .alias("-n"),
  };
}

std::vector<Row> saving_options() {
  return {
      text("model", "", "DIR", "run folder").alias("-m").keeps(Keep::free).of_ranks(AmongRanks::place),
      amount("save-freq", "1e", "N", "how often to save; 0: only at the end"),
      integer("keep-last", "10", "N",
              "scheduled checkpoints that are kept; the averaged model is the mean of these or of the "
              "last few, whichever validates best")
          .at_least(1),
      integer("keep-best", "1", "N", "checkpoints with the best scores by the first metric are kept besides")
          .at_least(1)
          .keeps(Keep::free)
          .seldom(),
      text("resume", "auto", "auto|never|PATH", "auto: continue if the run folder holds a checkpoint")
          .keeps(Keep::never)
          .of_ranks(AmongRanks::place),
      text("pretrained-model", "", "DIR",
           "begin with the weights of this run, checkpoint or folder of another toolkit, its sizes and its "
           "vocabularies; tensors that it lacks begin as usual")
          .keeps(Keep::free)
          .of_ranks(AmongRanks::place),
      text("extend-vocab", "", "FILE",
           "pieces, one a line, that the vocabularies of --pretrained-model get besides; each is one token "
           "wherever it stands, at a word's beginning if it begins with a space or U+2581")
          .seldom()
          .of_ranks(AmongRanks::place),
      flag("no-optimizer-reload", "false",
           "going on, begin with an optimiser that knows nothing of the gradients before")
          .keeps(Keep::never)
          .seldom(),
      flag("overwrite", "false", "begin anew in a run folder that is not empty").keeps(Keep::never),
  };
}

std::vector<Row> logging_options() {
  return {
      amount("disp-freq", "50u", "N", "how often to report progress; 0: not but for --disp-first")
          .of_ranks(AmongRanks::own),
      integer("disp-first", "5", "N", "report each of the first N updates")
          .at_least(0)
          .seldom()
          .of_ranks(AmongRanks::own),
      text("log", "", "FILE", "log file; default: train.log in the run folder")
          .keeps(Keep::once)
          .seldom()
          .of_ranks(AmongRanks::own),
      choice("log-format", "auto|plain|json|none|seed", "auto",
             "on the terminal; auto: a bar on a terminal, plain lines on a pipe; seed: as two tutorials' "
             "programs "
             "print, in train.log too")
          .of_ranks(AmongRanks::own),
  };
}

std::vector<Row> report_options() {
  return {
      flag("report", "true",
           "report.html in the run folder, drawn anew at each validation; with runs and no text: a page that "
           "compares "
           "them")
          .of_ranks(AmongRanks::own),
      text("runs", "", "RUN...", "run folders for --report RUN...").any_number().bare().keeps(Keep::never),
      text("output", "report.html", "FILE", "the page of --report RUN...; -: standard output")
          .alias("-o")
          .keeps(Keep::never),
  };
}

std::vector<Row> numerics_options() {
  return {
      integer("seed", "1", "N", "of initial weights, shuffling and dropout").at_least(0),
      choice("precision", "float32|tf32|bfloat16|auto", "float32",
             "of weights and activations in forward and backward; tf32: float32, but for CUDA's products; on "
             "the CPU bfloat16 is for AMX or AMD's AVX512_BF16; auto: bfloat16 where that is faster, else "
             "float32"),
      flag("bf16", "", "short for --precision bfloat16").keeps(Keep::never).of_ranks(AmongRanks::own),
      flag("fp16", "", "refused: float16 training overflows").keeps(Keep::never).seldom(),
      flag("throw-on-divergence", "false", "stop when the loss runs away, instead of warning")
          .keeps(Keep::free)
          .seldom(),
      flag("rollback", "false",
           "when the loss runs away, or no gradient is finite, go back to the save before with half the "
           "learning rate")
          .keeps(Keep::free)
          .seldom(),
      integer("workspace", "0", "MB",
              "most memory for activations; batches that need more are computed in parts, with the same "
              "gradient, but for R-Drop's masks; 0: what a batch needs")
          .alias("-w")
          .between(0, 1e9)
          .keeps(Keep::free)
          .seldom()
          .of_ranks(AmongRanks::own),
      flag("gradient-checkpointing", "false",
           "keep only what enters each layer, and compute its values anew on the way back: less memory, a "
           "third more "
           "work, the same gradient")
          .keeps(Keep::free)
          .seldom()
          .of_ranks(AmongRanks::own),
      flag("print-model", "false", "print layers, parameter count and memory plan, and end")
          .keeps(Keep::never),
  };
}

std::vector<Row> process_options() {
  return {
      flag("shard-optimizer", "false",
           "under mpirun each process keeps a piece of the optimiser's state, and of a bfloat16 model's "
           "float32 weights, "
           "and moves that piece of the model; not with muon")
          .seldom(),
      real("collective-timeout", "600", "SECONDS",
           "under mpirun, how long a process may keep the others waiting before it is given up for lost, and "
           "the training "
           "ends")
          .between(1, 1e6)
          .seldom(),
  };
}

}  // namespace

OptionGroup training_options() {
  return {{"data", kTrain, Keep::fixed, data_options()},
          {"model", kTrain, Keep::fixed, model_options()},
          {"regularisation", kTrain, Keep::fixed, regularisation_options()},
          {"batches and optimiser", kTrain, Keep::fixed, optimiser_options()},
          {"stopping", kTrain, Keep::free, stopping_options()},
          {"validation", kTrain, Keep::free, validation_options()},
          {"saving", kTrain, Keep::fixed, saving_options()},
          {"logging", kTrain, Keep::free, logging_options()},
          {"report", kTrain, Keep::free, report_options()},
          {"numerics", kTrain, Keep::fixed, numerics_options()},
          {"processes", kTrain, Keep::free, process_options()}};
}

}  // namespace xf::tools
