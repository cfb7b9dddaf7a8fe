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
  add(o.vocab_size, "vocab-size N", {by_task, between(8, kMostIds)},
      "pieces of a vocabulary that is trained on the text");
  add(o.joint_vocab, "joint-vocab", {by_task}, "train one vocabulary for both sides");
  add(o.tokenizer, "tokenizer", {one_of("spm|whitespace|icu|character|spacy3|spacy2.2"), by_task},
      "SentencePiece BPE, or a word vocabulary: words at white space, single characters, or words by ICU's "
      "or spaCy's rules");
  add(o.languages, "languages L L", {up_to(2), seldom},
      "language of each side for spaCy's rules, en or de; default: the ending of the file name");
  add(o.min_freq, "min-freq N", {at_least(1), seldom}, "replace rarer words with <unk> (all but spm)");
  add(o.max_length, "max-length N", {between(1, kMostIds)},
      "leave out training pairs with more tokens on a side");
  add(o.lowercase, "lowercase", {by_task}, "lower-case all text");
}

void list_model(ModelOptions& o, OptionList& add) {
  add.group("model", Persistence::fixed);
  add(o.type, "type", {one_of("translation|language-model|classification")},
      "model type; translation: encoder and decoder; language-model: decoder only (--enc-depth 0); "
      "classification: encoder only (--dec-depth 0)");
  add(o.dim_emb, "dim-emb N", {by_task, between(2, limits::kWidest)},
      "width of the model: size of embeddings and hidden states");
  add(o.enc_depth, "enc-depth N", {by_task, between(0, limits::kMostLayers)}, "encoder layers");
  add(o.dec_depth, "dec-depth N", {by_task, between(0, limits::kMostLayers)}, "decoder layers");
  add(o.transformer_heads, "transformer-heads N", {by_task, between(1, limits::kWidest)},
      "attention heads; must divide --dim-emb");
  add(o.transformer_dim_ffn, "transformer-dim-ffn N", {by_task, between(1, kMostIds)},
      "inner width of the feed-forward network");
  add(o.norm, "norm", {one_of("post|pre"), by_task},
      "layer normalisation after each block (post, as in the paper) or before it (pre)");
  add(o.layer_norm_epsilon, "layer-norm-epsilon X", {between(1e-12, 0.1), seldom},
      "epsilon that layer normalisation adds to the variance; other toolkits use 1e-06");
  add(o.transformer_ffn_activation, "transformer-ffn-activation", {one_of("relu|gelu|swish"), by_task},
      "activation function of the feed-forward network; swish, also called SiLU: x sigmoid(x)");
  add(o.tied_embeddings, "tied-embeddings", {by_task},
      "share one matrix between target embedding and output layer");
  add(o.tied_embeddings_all, "tied-embeddings-all", {by_task},
      "share one matrix among both embeddings and the output layer; separate vocabularies turn this off");
  add(o.transformer_train_positions, "transformer-train-positions", {seldom},
      "learn an embedding for each position up to --max-length, which then limits translations too; default: "
      "sinusoids");
  add(o.transformer_rotary_positions, "transformer-rotary-positions",
      "rotate queries and keys of self-attention by their positions (RoPE), instead of adding sinusoids to "
      "the embeddings");
  add(o.position_layout, "position-layout", {one_of("interleaved|split|marian"), seldom},
      "sine and cosine interleaved (the paper) or in two halves (split); marian: two halves with Marian's "
      "frequencies");
  add(o.quirks, "quirks NAME=VALUE...", {up_to(32), seldom},
      "deviations of published tutorials (docs/variants), such as pad-axis=both; slower, CPU only");
}

void list_dropout(ModelOptions& o, OptionList& add) {
  add.group("regularisation", Persistence::fixed);
  add(o.transformer_dropout, "transformer-dropout P", {by_task, between(0, kMaxDropout)},
      "dropout on embeddings and on each block's output");
  add(o.transformer_dropout_attention, "transformer-dropout-attention P",
      {by_task, between(0, kMaxDropout), seldom}, "dropout on attention probabilities");
  add(o.transformer_dropout_ffn, "transformer-dropout-ffn P", {by_task, between(0, kMaxDropout), seldom},
      "dropout inside the feed-forward network");
  add(o.label_smoothing, "label-smoothing X", {by_task, between(0, kMaxDropout)},
      "share of the probability that is spread over the whole vocabulary");
}

void list_search(SearchOptions& o, OptionList& add) {
  add(o.beam_size, "beam-size -b N", {between(1, 64)},
      "beam size of the final translation, and the model's default in xformer-translate");
  add(o.normalize, "normalize -n A", {between(0, kLargestPower)},
      "length normalisation: hypotheses compare by log-probability / length^A; also the model's default");
}

void list_data(TrainingOptions& o, OptionList& add) {
  add.group("data", Persistence::fixed);
  add(o.data.train_sets, "train-sets -t SRC TRG...", {up_to(128), Persistence::free, AmongRanks::place},
      "training text, plain, .gz or .zst, source before target; several pairs are concatenated; language "
      "model: FILE; classifier: TEXT LABELS");
  add(o.data.valid_sets, "valid-sets SRC TRG", {up_to(2), Persistence::free, AmongRanks::place},
      "validation text, as for --train-sets");
  add(o.data.test_sets, "test-sets SRC TRG...", {up_to(32), Persistence::free, seldom, AmongRanks::place},
      "test text for the averaged model when training ends; several pairs are measured one by one");
  add(o.data.train_weights, "train-weights X...", {between(0, 1000), up_to(64), seldom},
      "how often an epoch uses each training text; 2: twice; 0.5: a half, sampled again each epoch");
  add(o.data.cache, "cache DIR", {Persistence::once, seldom, AmongRanks::place},
      "folder for prepared text, shared by all runs that read it the same way; default: only text of over "
      "256 MB is prepared, in the run folder");
  add(o.data.cache_of_others, "cache-of-others", {Persistence::once, seldom},
      "use text that other users prepared there, too; trust them");
  add(o.data.tsv, "tsv", {Persistence::free},
      "read a text from one file of lines SRC TAB TRG, or TEXT TAB LABEL");
  add(o.data.vocabs, "vocabs -v FILE [FILE]", {up_to(2), Persistence::free, AmongRanks::place},
      "vocabularies: SentencePiece models or word lists; one file: shared by both sides; default: trained on "
      "the training text");
  add(o.data.allow_unknown, "allow-unknown", {Persistence::free, seldom},
      "train on text even if a given vocabulary knows less than half of it");
  add(o.data.spm_input_sentences, "spm-input-sentences N", {at_least(1), seldom},
      "train a vocabulary on at most N lines per side, sampled from the text");
  add(o.data.vocab_sizes, "vocab-sizes N M", {between(2, kMostIds), up_to(2), Persistence::never, seldom},
      "vocabulary sizes for --print-model without data; language model: one size");
  add(o.data.max_length_crop, "max-length-crop", {seldom},
      "crop pairs with more tokens than --max-length, instead of leaving them out");
}

void list_regularisation(TrainingOptions& o, OptionList& add) {
  list_dropout(o.model, add);
  add(o.regularisation.dropout_src, "dropout-src P", {between(0, kMaxDropout), seldom},
      "replace words that the encoder reads with <unk>, with probability P");
  add(o.regularisation.dropout_trg, "dropout-trg P", {between(0, kMaxDropout), seldom},
      "replace words that the decoder reads with <unk>, with probability P; words to predict stay unchanged");
  add(o.regularisation.bpe_dropout, "bpe-dropout X", {between(0, kMaxDropout), seldom},
      "skip each merge of SentencePiece with probability X, sampled again each epoch; 0.1 helps with little "
      "text");
  add(o.regularisation.r_drop, "r-drop X", {between(0, 1000), seldom},
      "weight of R-Drop (alpha, 5 in its paper): two passes with different dropout must agree; a step takes "
      "twice as long");
  add(o.regularisation.r_drop_after, "r-drop-after N", {seldom},
      "train without R-Drop for the first updates or epochs");
}

void list_updates(TrainingOptions& o, OptionList& add) {
  add.group("batches and optimiser", Persistence::fixed);
  add(o.batches.shuffle, "shuffle", {one_of("data|batches|none"), seldom},
      "order to shuffle again each epoch; data: the pairs; batches: batches cut from the unsorted text");
  add(o.batches.bidirectional, "bidirectional N", {between(0, kMostIds), seldom},
      "reverse the direction of half of the pairs, chosen again each epoch, for N epochs; needs a joint "
      "vocabulary");
  add(o.batches.mini_batch_words, "mini-batch-words N", {by_task, between(1, kMostIds)},
      "target tokens per batch, </s> included; classifier: tokens of its texts");
  add(o.batches.mini_batch, "mini-batch N", {between(0, kLargestBatch), seldom},
      "sentences per batch, instead of words; 0: words");
  add(o.batches.mini_batch_fit, "mini-batch-fit", {seldom},
      "make batches as large as --workspace allows; overrides --mini-batch-words");
  add(o.batches.maxi_batch, "maxi-batch N", {between(0, kMostIds), seldom},
      "sort the sentences of N batches by length before splitting them into batches; 0: no sorting");
  add(o.batches.maxi_batch_sort, "maxi-batch-sort", {one_of("src|trg|both|none"), seldom},
      "side whose length sorts; both: by the interleaved bits of the two lengths, as torchtext does");
  add(o.batches.optimizer_delay, "optimizer-delay N", {by_task, between(1, kMostBatches), Persistence::free},
      "accumulate the gradients of N batches per update, in each process");
  add(o.optimizer.optimizer, "optimizer", {one_of("adam|adamw|muon|sgd"), by_task},
      "optimizer; adamw: decoupled weight decay; muon: orthogonal updates of matrices, adamw for the rest; "
      "sgd: gradient descent with momentum");
  add(o.optimizer.optimizer_params, "optimizer-params X...", {by_task, between(0, 1), up_to(4), seldom},
      "beta1, beta2 and epsilon of Adam, with muon also its momentum, 0.95; or the momentum of sgd, by "
      "default none");
  add(o.optimizer.weight_decay, "weight-decay X", {between(0, 10), seldom}, "weight decay");
  add(o.optimizer.exponential_smoothing, "exponential-smoothing X", {between(0, 0.5), seldom},
      "validate, save and translate with an exponential moving average of the weights, with rate X, such as "
      "1e-4; 0: with the weights");
  add(o.schedule.learn_rate, "learn-rate X", {by_task, between(0, 1e30)}, "peak learning rate");
  add(o.optimizer.freeze, "freeze REGEX...", {up_to(64), seldom},
      "do not train parameters whose names match, such as ^encoder; xformer-export inspect prints the names");
  add(o.optimizer.lr_multiplier, "lr-multiplier REGEX=X...", {up_to(64), seldom, formerly("learn-rate-of")},
      "multiply the learning rate by X for parameters whose names match; the first match counts");
  add(o.schedule.lr_schedule, "lr-schedule", {one_of("inverse-sqrt|noam|cosine|constant|plateau"), by_task},
      "learning rate after the warm-up; noam: the paper's, scaled by --learn-rate; cosine: to zero at the "
      "end that --after sets; plateau: reduced when the first of --valid-metrics stalls");
  add(o.schedule.lr_warmup, "lr-warmup N", {by_task},
      "length of the linear warm-up to the peak learning rate, in updates or epochs");
  add(o.schedule.lr_decay, "lr-decay X", {between(0, 1), seldom}, "plateau: factor of each reduction");
  add(o.schedule.lr_decay_patience, "lr-decay-patience N", {at_least(0), seldom},
      "plateau: reduce after more than N validations without improvement");
  add(o.schedule.lr_decay_start, "lr-decay-start N", {at_least(0), seldom},
      "plateau: ignore validations of the first N epochs");
  add(o.optimizer.clip_norm, "clip-norm X", {by_task, between(0, 1e9)},
      "maximum norm of the token-mean gradient; 0: no clipping");
}

void list_stopping(TrainingOptions& o, OptionList& add) {
  add.group("stopping");
  add(o.stopping.after, "after N[,N]", {by_task, up_to(8)},
      "stop at the first of these: 100e epochs, 8000u updates, 2Gt tokens, 2h hours, 90m minutes");
  add(o.stopping.early_stopping, "early-stopping N", {by_task, at_least(0)},
      "stop after N validations without improvement; 0: never");
  add(o.stopping.early_stopping_on, "early-stopping-on", {one_of("first|any|all"), seldom},
      "which of --valid-metrics must stall: the first, any one, or all");
  add(o.stopping.early_stopping_epsilon, "early-stopping-epsilon X", {between(0, 1e6), seldom},
      "minimum change that counts as an improvement");
}

void list_validation(TrainingOptions& o, OptionList& add) {
  add.group("validation");
  add(o.validation.valid_freq, "valid-freq N", "how often to validate; 0: never");
  add(o.validation.valid_metrics, "valid-metrics NAME...",
      {one_of("bleu|chrf|ce-mean-words|perplexity|ce-mean-batches|tutorial-bleu|word-perplexity|"
              "accuracy|macro-f1"),
       up_to(6), formerly_values("compat-bleu=tutorial-bleu")},
      "validation metrics; the first one chooses the best checkpoint; each model type has its own; "
      "ce-mean-batches and tutorial-bleu: as two tutorials report");
  add(o.validation.tokenize, "tokenize -tok", {one_of("13a|intl|char|zh|none")},
      "tokenizer of bleu, as in xformer-score; default: 13a, or zh or char for references written without "
      "spaces");
  add(o.validation.valid_beam_size, "valid-beam-size N", {between(1, 64)},
      "beam size of validation translations");
  add(o.validation.valid_mini_batch, "valid-mini-batch N", {between(1, kLargestBatch), seldom},
      "sentences per batch of validation translations");
  add(o.validation.valid_print, "valid-print N...", {at_least(0), up_to(100), seldom},
      "sentences to print at each validation, counted from 0");
  list_search(o.search, add);
}

void list_saving(TrainingOptions& o, OptionList& add) {
  add.group("saving", Persistence::fixed);
  add(o.saving.model, "model -m DIR", {Persistence::free, AmongRanks::place}, "run folder");
  add(o.saving.save_freq, "save-freq N", "how often to save a checkpoint; 0: only at the end");
  add(o.saving.keep_last, "keep-last N", {at_least(1)},
      "scheduled checkpoints to keep; the averaged model is the mean of these or of the last few, whichever "
      "validates best");
  add(o.saving.keep_best, "keep-best N", {at_least(1), Persistence::free, seldom},
      "checkpoints to keep in addition, with the best scores by the first metric");
  add(o.saving.resume, "resume auto|never|PATH", {Persistence::never, AmongRanks::place},
      "checkpoint to continue from; auto: the run folder's, if it holds one");
  add(o.saving.pretrained_model, "pretrained-model DIR", {Persistence::free, AmongRanks::place},
      "initialise weights, sizes and vocabularies from this run, checkpoint or other toolkit's folder; "
      "missing tensors are initialised as usual");
  add(o.saving.extend_vocab, "extend-vocab FILE", {seldom, AmongRanks::place},
      "pieces to add to the vocabularies of --pretrained-model, one per line; each is always one token; with "
      "a leading space or U+2581: only at the beginning of a word");
  add(o.saving.no_optimizer_reload, "no-optimizer-reload", {Persistence::never, seldom},
      "resume with an empty optimiser state");
  add(o.saving.overwrite, "overwrite", {Persistence::never},
      "start from scratch in a run folder that is not empty");
}

void list_logging(TrainingOptions& o, OptionList& add) {
  add.group("logging");
  add(o.logging.disp_freq, "disp-freq N", {AmongRanks::own},
      "how often to report progress; 0: never, except for --disp-first");
  add(o.logging.disp_first, "disp-first N", {at_least(0), seldom, AmongRanks::own},
      "report each of the first N updates");
  add(o.logging.log, "log FILE", {Persistence::once, seldom, AmongRanks::own},
      "log file; default: train.log in the run folder");
  add(o.logging.log_format, "log-format",
      {one_of("auto|plain|json|none|tutorial"), AmongRanks::own, formerly_values("seed=tutorial")},
      "format on the terminal; auto: a progress bar on a terminal, plain lines on a pipe; tutorial: as two "
      "tutorials' programs print, also in train.log");
}

void list_report(TrainingOptions& o, OptionList& add) {
  add.group("report");
  add(o.logging.report, "report", {AmongRanks::own},
      "update report.html in the run folder at each validation; with run folders and no text: compare the "
      "runs on one page");
  add(o.logging.runs, "runs RUN...", {any_number, bare, Persistence::never},
      "run folders for --report RUN...");
  add(o.logging.output, "output -o FILE", {Persistence::never},
      "HTML page of --report RUN...; -: standard output");
}

void list_numerics(TrainingOptions& o, OptionList& add) {
  add.group("numerics", Persistence::fixed);
  add(o.numerics.seed, "seed N", {at_least(0)}, "random seed of initial weights, shuffling and dropout");
  add(o.compute.precision, "precision", {one_of("float32|tf32|bfloat16|auto")},
      "data type of weights and activations in forward and backward; tf32: float32 with TF32 matrix products "
      "on CUDA; bfloat16 on the CPU: fast with AMX or AMD's AVX512_BF16; auto: bfloat16 where that is "
      "faster, else float32");
  add(o.numerics.bf16, "bf16", {Persistence::never, AmongRanks::own}, "short for --precision bfloat16");
  add(o.numerics.fp16, "fp16", {Persistence::never, seldom}, "refused: float16 training overflows");
  add(o.numerics.throw_on_divergence, "throw-on-divergence", {Persistence::free, seldom},
      "stop with an error when the loss diverges, instead of warning");
  add(o.numerics.rollback, "rollback", {Persistence::free, seldom},
      "go back to the previous checkpoint with half the learning rate when the loss diverges or no gradient "
      "is finite");
  add(o.numerics.workspace, "workspace -w MB", {between(0, 1e9), Persistence::free, seldom, AmongRanks::own},
      "memory limit of activations; larger batches are split, with the same gradient except for R-Drop's "
      "masks; 0: no limit");
  add(o.numerics.gradient_checkpointing, "gradient-checkpointing",
      {Persistence::free, seldom, AmongRanks::own},
      "keep only each layer's input and recompute its values in backward: less memory, a third more work, "
      "the same gradient");
  add(o.numerics.print_model, "print-model", {Persistence::never},
      "print layers, parameter count and memory plan, and exit");
}

void list_processes(TrainingOptions& o, OptionList& add) {
  add.group("processes");
  add(o.processes.shard_optimizer, "shard-optimizer", {seldom},
      "under mpirun, split the optimiser state and the float32 weights of a bfloat16 model among the "
      "processes; each updates its piece of the model; not with muon");
  add(o.processes.collective_timeout, "collective-timeout SECONDS", {between(1, 1e6), seldom},
      "under mpirun, maximum time to wait for another process; then it counts as lost, and training ends");
}

void list_general(TrainingOptions& o, OptionList& add) {
  add.group("general");
  list_compute(o.compute, add);
  add(o.task, "task NAME", {offers(preset_names()), formerly_values(kFormerTasks)},
      "preset for options that are not given: transformer-tiny, transformer-base, multi30k, multi30k-fast, "
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
      "device to compute on; auto: the first usable CUDA device, else the CPU");
  list_threads(o, add);
}

void list_threads(ComputeOptions& o, OptionList& add) {
  add(o.cpu_threads, "cpu-threads N", {between(0, 1024), AmongRanks::own},
      "CPU threads; 0: OMP_NUM_THREADS, or as many as this process may use");
}

void list_options(TrainingOptions& o, OptionList& add) {
  add.summary(
      "Trains a Transformer on parallel text, a language model on text, or a classifier on labelled text.\n\n"
      "  xformer-train -t train.en train.de --valid-sets val.en val.de -m RUN\n"
      "  xformer-train --task language-model -t train.en --valid-sets val.en -m RUN\n"
      "  xformer-train --task classification -t train.text train.labels -m RUN\n"
      "  xformer-train --report RUN... -o FILE          compares runs on one page\n");
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
