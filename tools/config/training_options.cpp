#include "tools/config/training_options.h"

#include "core/error.h"
#include "core/input_limits.h"
#include "tools/config/config_file.h"

namespace xf::tools {
namespace {

constexpr double kMaxDropout = 0.99;
// No model comes near them; beyond, sizes would be counted in more than 64 bits.
constexpr double kMostIds = 1e8;
// Of an update, which are in memory together.
constexpr double kMostBatches = 10000;
// The tutorials' presets were called by their place in a list.
constexpr std::string_view kFormerTasks =
    "seed000=tutorials/translator "
    "seed000-no-bias=tutorials/translator-no-bias "
    "seed001=tutorials/by-hand "
    "seed002=tutorials/seq2seq "
    "seed002-readme=tutorials/seq2seq-readme "
    "seed003=tutorials/characters "
    "seed003-asis=tutorials/characters-asis "
    "seed004=tutorials/illustrated "
    "seed004-prose=tutorials/illustrated-prose ";

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

void list_text(TextOptions& o, OptionList& add) {
  add.group("text", Persistence::fixed);
  add(o.vocab_size, "vocab-size N", {by_task, between(8, kMostIds)}, "pieces of a vocabulary trained here");
  add(o.joint_vocab, "joint-vocab", {by_task}, "one vocabulary for both sides when it is trained here");
  add(o.tokenizer, "tokenizer", {one_of("spm|whitespace|icu|character|spacy3|spacy2.2"), by_task},
      "SentencePiece BPE, or with a word vocabulary words as they stand in the text, single characters, or "
      "words by ICU's or spaCy's rules");
  add(o.languages, "languages L L", {up_to(2), seldom},
      "of each side, en or de, for spaCy's rules; else as file names end");
  add(o.min_freq, "min-freq N", {at_least(1), seldom}, "rarer words become <unk> (all but spm)");
  add(o.max_length, "max-length N", {between(1, kMostIds)},
      "leave out training pairs with more tokens on a side");
  add(o.lowercase, "lowercase", {by_task}, "lower-case all text");
}

void list_model(ModelOptions& o, OptionList& add) {
  add.group("model", Persistence::fixed);
  add(o.type, "type", {one_of("translation|language-model|classification")},
      "encoder and decoder; a decoder alone (--enc-depth 0); an encoder alone (--dec-depth 0)");
  add(o.dim_emb, "dim-emb N", {by_task, between(2, limits::kWidest)}, "width of the model");
  add(o.enc_depth, "enc-depth N", {by_task, between(0, limits::kMostLayers)}, "encoder layers");
  add(o.dec_depth, "dec-depth N", {by_task, between(0, limits::kMostLayers)}, "decoder layers");
  add(o.transformer_heads, "transformer-heads N", {by_task, between(1, limits::kWidest)},
      "attention heads; they divide the width");
  add(o.transformer_dim_ffn, "transformer-dim-ffn N", {by_task, between(1, kMostIds)},
      "inner width of the feed-forward block");
  add(o.norm, "norm", {one_of("post|pre"), by_task},
      "layer normalisation after each block (the paper) or before it");
  add(o.layer_norm_epsilon, "layer-norm-epsilon X", {between(1e-12, 0.1), seldom},
      "what layer normalisation adds to the variance; others have 1e-06");
  add(o.transformer_ffn_activation, "transformer-ffn-activation", {one_of("relu|gelu|swish"), by_task},
      "between the two feed-forward layers; swish, also called SiLU: x sigmoid(x)");
  add(o.tied_embeddings, "tied-embeddings", {by_task}, "target embedding and output layer share one matrix");
  add(o.tied_embeddings_all, "tied-embeddings-all", {by_task},
      "and the source embedding too; a vocabulary for each side unties it");
  add(o.transformer_train_positions, "transformer-train-positions", {seldom},
      "learn a vector for each position, up to --max-length, which is then also where translations end; "
      "else sines and cosines");
  add(o.transformer_rotary_positions, "transformer-rotary-positions",
      "turn queries and keys of self-attention by their places (RoPE) instead of adding sines and cosines "
      "to the embeddings");
  add(o.position_layout, "position-layout", {one_of("interleaved|split|marian"), seldom},
      "sine and cosine in turn (the paper) or in two halves; marian: in halves, of Marian's frequencies");
  add(o.quirks, "quirks NAME=VALUE...", {up_to(32), seldom},
      "what published tutorials do otherwise (docs/variants), such as pad-axis=both; slower, on the CPU");
}

void list_dropout(ModelOptions& o, OptionList& add) {
  add.group("regularisation", Persistence::fixed);
  add(o.transformer_dropout, "transformer-dropout P", {by_task, between(0, kMaxDropout)},
      "on embeddings and on each block's output");
  add(o.transformer_dropout_attention, "transformer-dropout-attention P",
      {by_task, between(0, kMaxDropout), seldom}, "on attention probabilities");
  add(o.transformer_dropout_ffn, "transformer-dropout-ffn P", {by_task, between(0, kMaxDropout), seldom},
      "inside the feed-forward block");
  add(o.label_smoothing, "label-smoothing X", {by_task, between(0, kMaxDropout)},
      "share of the probability spread over the whole vocabulary");
}

void list_search(SearchOptions& o, OptionList& add) {
  add(o.beam_size, "beam-size -b N", {between(1, 64)},
      "beam of the last translation, and the model's default in xformer-translate");
  add(o.normalize, "normalize -n A", {between(0, kLargestPower)},
      "hypotheses compare by log-probability / length^A; also the model's default");
}

void list_data(TrainingOptions& o, OptionList& add) {
  add.group("data", Persistence::fixed);
  add(o.data.train_sets, "train-sets -t SRC TRG...", {up_to(128), Persistence::free, AmongRanks::place},
      "training text, plain, .gz or .zst; the order says the direction; several: one after the other. A "
      "language model: FILE; a classifier: TEXT LABELS");
  add(o.data.valid_sets, "valid-sets SRC TRG", {up_to(2), Persistence::free, AmongRanks::place},
      "validation text, as for --train-sets");
  add(o.data.test_sets, "test-sets SRC TRG...", {up_to(32), Persistence::free, seldom, AmongRanks::place},
      "text that the averaged model is measured on when training ends; several pairs: one after the other");
  add(o.data.train_weights, "train-weights X...", {between(0, 1000), up_to(64), seldom},
      "for each training text how often an epoch has its pairs: 2 twice, 0.5 half of them, drawn anew each "
      "epoch");
  add(o.data.cache, "cache DIR", {Persistence::once, seldom, AmongRanks::place},
      "prepare the text in this folder, once for all runs that read it so; else only a text of over 256 MB "
      "is prepared, in the run folder");
  add(o.data.cache_of_others, "cache-of-others", {Persistence::once, seldom},
      "train on what other users have prepared there, too; they are trusted with it");
  add(o.data.tsv, "tsv", {Persistence::free}, "a text is one file of lines SRC TAB TRG, or TEXT TAB LABEL");
  add(o.data.vocabs, "vocabs -v FILE [FILE]", {up_to(2), Persistence::free, AmongRanks::place},
      "vocabularies, SentencePiece models or lists of words; one file: both sides share it; none: trained "
      "from the training text");
  add(o.data.allow_unknown, "allow-unknown", {Persistence::free, seldom},
      "train on text of which a given vocabulary knows less than half");
  add(o.data.spm_input_sentences, "spm-input-sentences N", {at_least(1), seldom},
      "learn a vocabulary from at most so many lines of a side, drawn from the text");
  add(o.data.vocab_sizes, "vocab-sizes N M", {between(2, kMostIds), up_to(2), Persistence::never, seldom},
      "sizes for --print-model without data; of a language model one");
  add(o.data.max_length_crop, "max-length-crop", {seldom}, "crop them instead");
}

void list_regularisation(TrainingOptions& o, OptionList& add) {
  list_dropout(o.model, add);
  add(o.regularisation.dropout_src, "dropout-src P", {between(0, kMaxDropout), seldom},
      "of words that the encoder reads, which are <unk> then");
  add(o.regularisation.dropout_trg, "dropout-trg P", {between(0, kMaxDropout), seldom},
      "of words that the decoder reads; those that it is to predict stay as they are");
  add(o.regularisation.bpe_dropout, "bpe-dropout X", {between(0, kMaxDropout), seldom},
      "probability with which a merge of SentencePiece's is left out, drawn anew each epoch; 0.1 helps "
      "where there is little text");
  add(o.regularisation.r_drop, "r-drop X", {between(0, 1000), seldom},
      "read each batch twice, with other dropout, and have the two agree, this much (R-Drop's alpha, 5 in "
      "its paper): a step takes twice as long");
  add(o.regularisation.r_drop_after, "r-drop-after N", {seldom},
      "updates or epochs before R-Drop, without it");
}

void list_updates(TrainingOptions& o, OptionList& add) {
  add.group("batches and optimiser", Persistence::fixed);
  add(o.batches.shuffle, "shuffle", {one_of("data|batches|none"), seldom},
      "drawn anew each epoch: the order of the pairs, or of batches that are cut from the text as it stands");
  add(o.batches.bidirectional, "bidirectional N", {between(0, kMostIds), seldom},
      "for the first N epochs read half of the pairs, other ones each time, in the other direction; needs "
      "a joint vocabulary");
  add(o.batches.mini_batch_words, "mini-batch-words N", {by_task, between(1, kMostIds)},
      "target tokens of a batch, </s> included; of a classifier, tokens of its texts");
  add(o.batches.mini_batch, "mini-batch N", {between(0, kLargestBatch), seldom},
      "sentences of a batch, instead of words; 0: words");
  add(o.batches.mini_batch_fit, "mini-batch-fit", {seldom},
      "batches of as many words as --workspace holds, whatever --mini-batch-words says");
  add(o.batches.maxi_batch, "maxi-batch N", {between(0, kMostIds), seldom},
      "sort the sentences of N batches by length before they are cut apart; 0: none are sorted");
  add(o.batches.maxi_batch_sort, "maxi-batch-sort", {one_of("src|trg|both|none"), seldom},
      "by the length of which side; both: by the interleaved bits of the two, as torchtext does");
  add(o.batches.optimizer_delay, "optimizer-delay N", {by_task, between(1, kMostBatches), Persistence::free},
      "batches whose gradients make one update, of each process");
  add(o.optimizer.optimizer, "optimizer", {one_of("adam|adamw|muon|sgd"), by_task},
      "adamw: weight decay apart from the gradient; muon: orthogonal updates of the matrices, adamw for "
      "the rest; sgd: gradient descent with momentum");
  add(o.optimizer.optimizer_params, "optimizer-params X...", {by_task, between(0, 1), up_to(4), seldom},
      "beta1, beta2 and epsilon of Adam, and with muon its momentum, 0.95; or the momentum of sgd, which "
      "has none by default");
  add(o.optimizer.weight_decay, "weight-decay X", {between(0, 10), seldom}, "weight decay");
  add(o.optimizer.exponential_smoothing, "exponential-smoothing X", {between(0, 0.5), seldom},
      "validate, save and translate with a mean of the weights to which each update moves it by X, 1e-4 "
      "for example; 0: with the weights");
  add(o.schedule.learn_rate, "learn-rate X", {by_task, between(0, 1e30)}, "highest learning rate");
  add(o.optimizer.freeze, "freeze REGEX...", {up_to(64), seldom},
      "parameters whose names match stay as they are, ^encoder for example; their names: xformer-export "
      "inspect");
  add(o.optimizer.lr_multiplier, "lr-multiplier REGEX=X...", {up_to(64), seldom, formerly("learn-rate-of")},
      "parameters whose names match learn at X times the learning rate; of several the first one that "
      "matches");
  add(o.schedule.lr_schedule, "lr-schedule", {one_of("inverse-sqrt|noam|cosine|constant|plateau"), by_task},
      "after the warm-up; noam: the paper's, --learn-rate is its factor; cosine: to zero at the end that "
      "--after sets; plateau: cut when the first of --valid-metrics has stopped gaining");
  add(o.schedule.lr_warmup, "lr-warmup N", {by_task},
      "linear rise to the highest learning rate, in updates or epochs");
  add(o.schedule.lr_decay, "lr-decay X", {between(0, 1), seldom},
      "plateau: a cut multiplies the learning rate by X");
  add(o.schedule.lr_decay_patience, "lr-decay-patience N", {at_least(0), seldom},
      "plateau: N validations may be without gain, the next one cuts");
  add(o.schedule.lr_decay_start, "lr-decay-start N", {at_least(0), seldom},
      "plateau: validations of the first N epochs do not count");
  add(o.optimizer.clip_norm, "clip-norm X", {by_task, between(0, 1e9)},
      "largest norm of the token-mean gradient; 0: no limit");
}

void list_stopping(TrainingOptions& o, OptionList& add) {
  add.group("stopping");
  add(o.stopping.after, "after N[,N]", {by_task, up_to(8)},
      "stop at the first of these: 100e epochs, 8000u updates, 2Gt tokens, 2h hours, 90m minutes");
  add(o.stopping.early_stopping, "early-stopping N", {by_task, at_least(0)},
      "stop after N validations without progress; 0: never");
  add(o.stopping.early_stopping_on, "early-stopping-on", {one_of("first|any|all"), seldom},
      "which of --valid-metrics must have stalled: the first, any one of them, or all");
  add(o.stopping.early_stopping_epsilon, "early-stopping-epsilon X", {between(0, 1e6), seldom},
      "progress smaller than this is none");
}

void list_validation(TrainingOptions& o, OptionList& add) {
  add.group("validation");
  add(o.validation.valid_freq, "valid-freq N", "how often to validate; 0: never");
  add(o.validation.valid_metrics, "valid-metrics NAME...",
      {one_of(
           "bleu|chrf|ce-mean-words|perplexity|ce-mean-batches|tutorial-bleu|word-perplexity|accuracy|macro-f1"),
       up_to(6), formerly_values("compat-bleu=tutorial-bleu")},
      "the first one chooses the best checkpoint; each type of model has its own; ce-mean-batches and "
      "tutorial-bleu are what two tutorials report");
  add(o.validation.tokenize, "tokenize -tok", {one_of("13a|intl|char|zh|none")},
      "how bleu cuts a line into tokens, as in xformer-score; default: 13a; zh or char where the "
      "references are written without spaces");
  add(o.validation.valid_beam_size, "valid-beam-size N", {between(1, 64)},
      "beam of the validation translations");
  add(o.validation.valid_mini_batch, "valid-mini-batch N", {between(1, kLargestBatch), seldom},
      "sentences translated together");
  add(o.validation.valid_print, "valid-print N...", {at_least(0), up_to(100), seldom},
      "sentences shown at each validation, counted from 0");
  list_search(o.search, add);
}

void list_saving(TrainingOptions& o, OptionList& add) {
  add.group("saving", Persistence::fixed);
  add(o.saving.model, "model -m DIR", {Persistence::free, AmongRanks::place}, "run folder");
  add(o.saving.save_freq, "save-freq N", "how often to save; 0: only at the end");
  add(o.saving.keep_last, "keep-last N", {at_least(1)},
      "scheduled checkpoints that are kept; the averaged model is the mean of these or of the last few, "
      "whichever validates best");
  add(o.saving.keep_best, "keep-best N", {at_least(1), Persistence::free, seldom},
      "checkpoints with the best scores by the first metric are kept besides");
  add(o.saving.resume, "resume auto|never|PATH", {Persistence::never, AmongRanks::place},
      "auto: continue if the run folder holds a checkpoint");
  add(o.saving.pretrained_model, "pretrained-model DIR", {Persistence::free, AmongRanks::place},
      "begin with the weights of this run, checkpoint or folder of another toolkit, its sizes and its "
      "vocabularies; tensors that it lacks begin as usual");
  add(o.saving.extend_vocab, "extend-vocab FILE", {seldom, AmongRanks::place},
      "pieces, one a line, that the vocabularies of --pretrained-model get besides; each is one token "
      "wherever it stands, at a word's beginning if it begins with a space or U+2581");
  add(o.saving.no_optimizer_reload, "no-optimizer-reload", {Persistence::never, seldom},
      "going on, begin with an optimiser that knows nothing of the gradients before");
  add(o.saving.overwrite, "overwrite", {Persistence::never}, "begin anew in a run folder that is not empty");
}

void list_logging(TrainingOptions& o, OptionList& add) {
  add.group("logging");
  add(o.logging.disp_freq, "disp-freq N", {AmongRanks::own},
      "how often to report progress; 0: not but for --disp-first");
  add(o.logging.disp_first, "disp-first N", {at_least(0), seldom, AmongRanks::own},
      "report each of the first N updates");
  add(o.logging.log, "log FILE", {Persistence::once, seldom, AmongRanks::own},
      "log file; default: train.log in the run folder");
  add(o.logging.log_format, "log-format",
      {one_of("auto|plain|json|none|tutorial"), AmongRanks::own, formerly_values("seed=tutorial")},
      "on the terminal; auto: a bar on a terminal, plain lines on a pipe; tutorial: as two tutorials' programs "
      "print, in train.log too");
}

void list_report(TrainingOptions& o, OptionList& add) {
  add.group("report");
  add(o.logging.report, "report", {AmongRanks::own},
      "report.html in the run folder, drawn anew at each validation; with runs and no text: a page that "
      "compares them");
  add(o.logging.runs, "runs RUN...", {any_number, bare, Persistence::never},
      "run folders for --report RUN...");
  add(o.logging.output, "output -o FILE", {Persistence::never},
      "the page of --report RUN...; -: standard output");
}

void list_numerics(TrainingOptions& o, OptionList& add) {
  add.group("numerics", Persistence::fixed);
  add(o.numerics.seed, "seed N", {at_least(0)}, "of initial weights, shuffling and dropout");
  add(o.compute.precision, "precision", {one_of("float32|tf32|bfloat16|auto")},
      "of weights and activations in forward and backward; tf32: float32, but for CUDA's products; on the "
      "CPU bfloat16 is for AMX or AMD's AVX512_BF16; auto: bfloat16 where that is faster, else float32");
  add(o.numerics.bf16, "bf16", {Persistence::never, AmongRanks::own}, "short for --precision bfloat16");
  add(o.numerics.fp16, "fp16", {Persistence::never, seldom}, "refused: float16 training overflows");
  add(o.numerics.throw_on_divergence, "throw-on-divergence", {Persistence::free, seldom},
      "stop when the loss runs away, instead of warning");
  add(o.numerics.rollback, "rollback", {Persistence::free, seldom},
      "when the loss runs away, or no gradient is finite, go back to the save before with half the "
      "learning rate");
  add(o.numerics.workspace, "workspace -w MB", {between(0, 1e9), Persistence::free, seldom, AmongRanks::own},
      "most memory for activations; batches that need more are computed in parts, with the same gradient, "
      "but for R-Drop's masks; 0: what a batch needs");
  add(o.numerics.gradient_checkpointing, "gradient-checkpointing",
      {Persistence::free, seldom, AmongRanks::own},
      "keep only what enters each layer, and compute its values anew on the way back: less memory, a third "
      "more work, the same gradient");
  add(o.numerics.print_model, "print-model", {Persistence::never},
      "print layers, parameter count and memory plan, and end");
}

void list_processes(TrainingOptions& o, OptionList& add) {
  add.group("processes");
  add(o.processes.shard_optimizer, "shard-optimizer", {seldom},
      "under mpirun each process keeps a piece of the optimiser's state, and of a bfloat16 model's float32 "
      "weights, and moves that piece of the model; not with muon");
  add(o.processes.collective_timeout, "collective-timeout SECONDS", {between(1, 1e6), seldom},
      "under mpirun, how long a process may keep the others waiting before it is given up for lost, and "
      "the training ends");
}

void list_general(TrainingOptions& o, OptionList& add) {
  add.group("general");
  list_compute(o.compute, add);
  add(o.task, "task NAME", {offers(preset_names()), formerly_values(kFormerTasks)},
      "preset that sets what is not given: transformer-tiny, transformer-base, multi30k, multi30k-fast, "
      "demo, language-model, smiles, classification");
}

struct StoredSettings : Configuration, ModelSettings {
  StoredSettings() : Configuration("xformer-train") {}
};

void list_options(StoredSettings& o, OptionList& add) {
  list_text(o.text, add);
  list_model(o.model, add);
  list_dropout(o.model, add);
  add.group("search", Persistence::free);
  list_search(o.search, add);
}

// Sines and cosines, learnt positions, rotary ones: one of the three.
void check_positions(const ModelOptions& options) {
  const int64_t width = options.dim_emb, heads = options.transformer_heads;
  if (width % 2 != 0)
    fail(ErrorKind::usage, "dim-emb: {} is odd; positions need sine and cosine pairs", width);
  const bool learned = options.transformer_train_positions, rotary = options.transformer_rotary_positions;
  if (learned && rotary) {
    fail(ErrorKind::usage,
         "transformer-rotary-positions: "
         "positions are learnt (transformer-train-positions) or rotary; choose one");
  }
  if ((learned || rotary) && options.position_layout != "interleaved") {
    fail(ErrorKind::usage, "position-layout is of sines and cosines; leave it out, or {}",
         learned ? "transformer-train-positions" : "transformer-rotary-positions");
  }
  if (rotary && width / heads % 2 != 0) {
    fail(ErrorKind::usage,
         "transformer-rotary-positions: turns pairs of columns, "
         "and a head has {} / {} = {}; choose an even width",
         width, heads, width / heads);
  }
}

}  // namespace

void list_compute(ComputeOptions& o, OptionList& add) {
  add(o.device, "device auto|cpu|cuda[:N]", {AmongRanks::own},
      "where to compute; auto: on the first CUDA device that can be used, else the CPU");
  list_threads(o, add);
}

void list_threads(ComputeOptions& o, OptionList& add) {
  add(o.cpu_threads, "cpu-threads N", {between(0, 1024), AmongRanks::own},
      "0: as many as OMP_NUM_THREADS says, or this process may use");
}

void list_options(TrainingOptions& o, OptionList& add) {
  add.summary(
      "Trains a Transformer on parallel text, a language model on text, a classifier on texts and "
      "classes.\n\n"
      "  xformer-train -t train.en train.de --valid-sets val.en val.de -m RUN\n"
      "  xformer-train --task language-model -t train.en --valid-sets val.en -m RUN\n"
      "  xformer-train --task classification -t train.text train.labels -m RUN\n"
      "  xformer-train --report RUN... -o FILE          runs that there are, compared on one page\n");
  list_data(o, add);
  list_text(o.text, add);
  list_model(o.model, add);
  list_regularisation(o, add);
  list_updates(o, add);
  list_stopping(o, add);
  list_validation(o, add);
  list_saving(o, add);
  list_logging(o, add);
  list_report(o, add);
  list_numerics(o, add);
  list_processes(o, add);
  list_general(o, add);
}

void check_model(const ModelOptions& options) {
  const int64_t width = options.dim_emb, heads = options.transformer_heads;
  if (width % heads != 0) {
    fail(ErrorKind::usage, "transformer-heads: {} heads do not divide the width of {} (dim-emb)", heads,
         width);
  }
  check_positions(options);
}

std::string to_toml(const ModelSettings& settings) {
  StoredSettings stored;
  static_cast<ModelSettings&>(stored) = settings;
  return options_of(stored).to_toml();
}

ModelSettings model_settings_from_toml(const std::string& text, const std::string& name) {
  StoredSettings stored;
  OptionList list = options_of(stored);
  const GivenOptions given = parse_config(list, text, name);
  for (const Option& option : list) {
    if (option.is_by_task && !find_given(given, option.name))
      fail(ErrorKind::usage, "{}: no key '{}'; give the file that xformer-train wrote", name, option.name);
  }
  list.apply(given, OptionList::Origin::user);
  check_model(stored.model);
  return stored;
}

}  // namespace xf::tools
