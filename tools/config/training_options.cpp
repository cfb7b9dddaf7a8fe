#include "tools/config/training_options.h"

#include "core/input_limits.h"
#include "tools/config/presets.h"

namespace xf::tools {
namespace {

constexpr double kMaxDropout = 0.99;
// No model comes near them; beyond, sizes would be counted in more than 64 bits.
constexpr double kMostIds = 1e8;
// Of an update, which are in memory together.
constexpr double kMostBatches = 10000;

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

void list_data(TrainingOptions& o, OptionList& list) {
  list.group("data", Keep::fixed);
  list.add(o.data.train_sets, "train-sets", "SRC TRG...",
           "training text, plain, .gz or .zst; the order says the direction; several: one after the "
           "other. A language model: FILE; a classifier: TEXT LABELS")
      .alias("-t")
      .up_to(128)
      .keeps(Keep::free)
      .of_ranks(AmongRanks::place);
  list.add(o.data.valid_sets, "valid-sets", "SRC TRG", "validation text, as for --train-sets")
      .up_to(2)
      .keeps(Keep::free)
      .of_ranks(AmongRanks::place);
  list.add(o.data.test_sets, "test-sets", "SRC TRG...",
           "text that the averaged model is measured on when training ends; "
           "several pairs: one after the other")
      .up_to(32)
      .keeps(Keep::free)
      .seldom()
      .of_ranks(AmongRanks::place);
  list.add(o.data.train_weights, "train-weights", "X...",
           "for each training text how often an epoch has its pairs: "
           "2 twice, 0.5 half of them, drawn anew each epoch")
      .between(0, 1000)
      .up_to(64)
      .seldom();
  list.add(o.data.cache, "cache", "DIR",
           "prepare the text in this folder, once for all runs that read it so; else only a text of over "
           "256 MB is prepared, in the run folder")
      .keeps(Keep::once)
      .seldom()
      .of_ranks(AmongRanks::place);
  list.add(o.data.cache_of_others, "cache-of-others",
           "train on what other users have prepared there, too; they are trusted with it")
      .keeps(Keep::once)
      .seldom();
  list.add(o.data.tsv, "tsv", "a text is one file of lines SRC TAB TRG, or TEXT TAB LABEL").keeps(Keep::free);
  list.add(o.data.vocabs, "vocabs", "FILE [FILE]",
           "vocabularies, SentencePiece models or lists of words; one file: both sides share it; none: "
           "trained from the training text")
      .alias("-v")
      .up_to(2)
      .keeps(Keep::free)
      .of_ranks(AmongRanks::place);
  list.add(o.data.allow_unknown, "allow-unknown",
           "train on text of which a given vocabulary knows less than half")
      .keeps(Keep::free)
      .seldom();
  list.add(o.data.spm_input_sentences, "spm-input-sentences", "N",
           "learn a vocabulary from at most so many lines of a side, drawn from the text")
      .at_least(1)
      .seldom();
  list.add(o.data.vocab_sizes, "vocab-sizes", "N M",
           "sizes for --print-model without data; of a language model one")
      .between(2, kMostIds)
      .up_to(2)
      .keeps(Keep::never)
      .seldom();
  list.add(o.data.max_length_crop, "max-length-crop", "crop them instead").seldom();
}

void list_regularisation(TrainingOptions& o, OptionList& list) {
  list_dropout(o.model, list);
  list.add(o.regularisation.dropout_src, "dropout-src", "P",
           "of words that the encoder reads, which are <unk> then")
      .between(0, kMaxDropout)
      .seldom();
  list.add(o.regularisation.dropout_trg, "dropout-trg", "P",
           "of words that the decoder reads; those that it is to predict stay as they are")
      .between(0, kMaxDropout)
      .seldom();
  list.add(o.regularisation.bpe_dropout, "bpe-dropout", "X",
           "probability with which a merge of SentencePiece's is left out, drawn anew each epoch; 0.1 "
           "helps where there is little text")
      .between(0, kMaxDropout)
      .seldom();
  list.add(o.regularisation.r_drop, "r-drop", "X",
           "read each batch twice, with other dropout, and have the two agree, this much (R-Drop's "
           "alpha, 5 in its paper): a step takes twice as long")
      .between(0, 1000)
      .seldom();
  list.add(o.regularisation.r_drop_after, "r-drop-after", "N", "updates or epochs before R-Drop, without it")
      .seldom();
}

void list_updates(TrainingOptions& o, OptionList& list) {
  list.group("batches and optimiser", Keep::fixed);
  list.add_choice(o.batches.shuffle, "shuffle", "data|batches|none",
                  "drawn anew each epoch: the order of the pairs, "
                  "or of batches that are cut from the text as it stands")
      .seldom();
  list.add(o.batches.bidirectional, "bidirectional", "N",
           "for the first N epochs read half of the pairs, other ones each time, in the other direction; "
           "needs a joint vocabulary")
      .between(0, kMostIds)
      .seldom();
  list.add(o.batches.mini_batch_words, "mini-batch-words", "N",
           "target tokens of a batch, </s> included; of a classifier, tokens of its texts")
      .by_task()
      .between(1, kMostIds);
  list.add(o.batches.mini_batch, "mini-batch", "N", "sentences of a batch, instead of words; 0: words")
      .between(0, kLargestBatch)
      .seldom();
  list.add(o.batches.mini_batch_fit, "mini-batch-fit",
           "batches of as many words as --workspace holds, whatever --mini-batch-words says")
      .seldom();
  list.add(o.batches.maxi_batch, "maxi-batch", "N",
           "sort the sentences of N batches by length before they are cut apart; 0: none are sorted")
      .between(0, kMostIds)
      .seldom();
  list.add_choice(o.batches.maxi_batch_sort, "maxi-batch-sort", "src|trg|both|none",
                  "by the length of which side; both: by the interleaved bits of the two, as torchtext does")
      .seldom();
  list.add(o.batches.optimizer_delay, "optimizer-delay", "N",
           "batches whose gradients make one update, of each process")
      .by_task()
      .between(1, kMostBatches)
      .keeps(Keep::free);
  list.add_choice(
          o.optimizer.optimizer, "optimizer", "adam|adamw|muon|sgd",
          "adamw: weight decay apart from the gradient; muon: orthogonal updates of the matrices, adamw "
          "for the rest; sgd: gradient descent with momentum")
      .by_task();
  list.add(o.optimizer.optimizer_params, "optimizer-params", "X...",
           "beta1, beta2 and epsilon of Adam, and with muon its momentum, 0.95; or the momentum of sgd, "
           "which has none by default")
      .by_task()
      .between(0, 1)
      .up_to(4)
      .seldom();
  list.add(o.optimizer.weight_decay, "weight-decay", "X", "weight decay").between(0, 10).seldom();
  list.add(o.optimizer.exponential_smoothing, "exponential-smoothing", "X",
           "validate, save and translate with a mean of the weights to which each update moves it by X, "
           "1e-4 for example; 0: with the weights")
      .between(0, 0.5)
      .seldom();
  list.add(o.schedule.learn_rate, "learn-rate", "X", "highest learning rate").by_task().between(0, 1e30);
  list.add(o.optimizer.freeze, "freeze", "REGEX...",
           "parameters whose names match stay as they are, ^encoder for example; "
           "their names: xformer-export inspect")
      .up_to(64)
      .seldom();
  list.add(o.optimizer.learn_rate_of, "learn-rate-of", "REGEX=X...",
           "parameters whose names match learn at X times the learning rate; "
           "of several the first one that matches")
      .up_to(64)
      .seldom();
  list.add_choice(
          o.schedule.lr_schedule, "lr-schedule", "inverse-sqrt|noam|cosine|constant|plateau",
          "after the warm-up; noam: the paper's, --learn-rate is its factor; cosine: to zero at the end "
          "that --after sets; plateau: cut when the first of --valid-metrics has stopped gaining")
      .by_task();
  list.add(o.schedule.lr_warmup, "lr-warmup", "N",
           "linear rise to the highest learning rate, in updates or epochs")
      .by_task();
  list.add(o.schedule.lr_decay, "lr-decay", "X", "plateau: a cut multiplies the learning rate by X")
      .between(0, 1)
      .seldom();
  list.add(o.schedule.lr_decay_patience, "lr-decay-patience", "N",
           "plateau: N validations may be without gain, the next one cuts")
      .at_least(0)
      .seldom();
  list.add(o.schedule.lr_decay_start, "lr-decay-start", "N",
           "plateau: validations of the first N epochs do not count")
      .at_least(0)
      .seldom();
  list.add(o.optimizer.clip_norm, "clip-norm", "X", "largest norm of the token-mean gradient; 0: no limit")
      .by_task()
      .between(0, 1e9);
}

void list_stopping(TrainingOptions& o, OptionList& list) {
  list.group("stopping");
  list.add(o.stopping.after, "after", "N[,N]",
           "stop at the first of these: 100e epochs, 8000u updates, 2Gt tokens, 2h hours, 90m minutes")
      .by_task()
      .up_to(8);
  list.add(o.stopping.early_stopping, "early-stopping", "N",
           "stop after N validations without progress; 0: never")
      .by_task()
      .at_least(0);
  list.add_choice(o.stopping.early_stopping_on, "early-stopping-on", "first|any|all",
                  "which of --valid-metrics must have stalled: the first, any one of them, or all")
      .seldom();
  list.add(o.stopping.early_stopping_epsilon, "early-stopping-epsilon", "X",
           "progress smaller than this is none")
      .between(0, 1e6)
      .seldom();
}

void list_validation(TrainingOptions& o, OptionList& list) {
  list.group("validation");
  list.add(o.validation.valid_freq, "valid-freq", "N", "how often to validate; 0: never");
  list.add_choice(
          o.validation.valid_metrics, "valid-metrics",
          "bleu|chrf|ce-mean-words|perplexity|ce-mean-batches|compat-bleu|word-perplexity|accuracy|macro-f1",
          "the first one chooses the best checkpoint; each type of model has its own; ce-mean-batches "
          "and compat-bleu are what two tutorials report")
      .value("NAME...")
      .up_to(6);
  list.add_choice(o.validation.tokenize, "tokenize", "13a|intl|char|zh|none",
                  "how bleu cuts a line into tokens, as in xformer-score; default: 13a; zh or char where the "
                  "references are written without spaces")
      .alias("-tok");
  list.add(o.validation.valid_beam_size, "valid-beam-size", "N", "beam of the validation translations")
      .between(1, 64);
  list.add(o.validation.valid_mini_batch, "valid-mini-batch", "N", "sentences translated together")
      .between(1, kLargestBatch)
      .seldom();
  list.add(o.validation.valid_print, "valid-print", "N...",
           "sentences shown at each validation, counted from 0")
      .at_least(0)
      .up_to(100)
      .seldom();
  list_search(o.search, list);
}

void list_saving(TrainingOptions& o, OptionList& list) {
  list.group("saving", Keep::fixed);
  list.add(o.saving.model, "model", "DIR", "run folder")
      .alias("-m")
      .keeps(Keep::free)
      .of_ranks(AmongRanks::place);
  list.add(o.saving.save_freq, "save-freq", "N", "how often to save; 0: only at the end");
  list.add(o.saving.keep_last, "keep-last", "N",
           "scheduled checkpoints that are kept; the averaged model is the mean of these or of the last "
           "few, whichever validates best")
      .at_least(1);
  list.add(o.saving.keep_best, "keep-best", "N",
           "checkpoints with the best scores by the first metric are kept besides")
      .at_least(1)
      .keeps(Keep::free)
      .seldom();
  list.add(o.saving.resume, "resume", "auto|never|PATH",
           "auto: continue if the run folder holds a checkpoint")
      .keeps(Keep::never)
      .of_ranks(AmongRanks::place);
  list.add(o.saving.pretrained_model, "pretrained-model", "DIR",
           "begin with the weights of this run, checkpoint or folder of another toolkit, its sizes and "
           "its vocabularies; tensors that it lacks begin as usual")
      .keeps(Keep::free)
      .of_ranks(AmongRanks::place);
  list.add(o.saving.extend_vocab, "extend-vocab", "FILE",
           "pieces, one a line, that the vocabularies of --pretrained-model get besides; each is one "
           "token wherever it stands, at a word's beginning if it begins with a space or U+2581")
      .seldom()
      .of_ranks(AmongRanks::place);
  list.add(o.saving.no_optimizer_reload, "no-optimizer-reload",
           "going on, begin with an optimiser that knows nothing of the gradients before")
      .keeps(Keep::never)
      .seldom();
  list.add(o.saving.overwrite, "overwrite", "begin anew in a run folder that is not empty")
      .keeps(Keep::never);
}

void list_logging(TrainingOptions& o, OptionList& list) {
  list.group("logging");
  list.add(o.logging.disp_freq, "disp-freq", "N", "how often to report progress; 0: not but for --disp-first")
      .of_ranks(AmongRanks::own);
  list.add(o.logging.disp_first, "disp-first", "N", "report each of the first N updates")
      .at_least(0)
      .seldom()
      .of_ranks(AmongRanks::own);
  list.add(o.logging.log, "log", "FILE", "log file; default: train.log in the run folder")
      .keeps(Keep::once)
      .seldom()
      .of_ranks(AmongRanks::own);
  list.add_choice(
          o.logging.log_format, "log-format", "auto|plain|json|none|seed",
          "on the terminal; auto: a bar on a terminal, plain lines on a pipe; seed: as two tutorials' "
          "programs print, in train.log too")
      .of_ranks(AmongRanks::own);
}

void list_report(TrainingOptions& o, OptionList& list) {
  list.group("report");
  list.add(o.logging.report, "report",
           "report.html in the run folder, drawn anew at each validation; "
           "with runs and no text: a page that compares them")
      .of_ranks(AmongRanks::own);
  list.add(o.logging.runs, "runs", "RUN...", "run folders for --report RUN...")
      .any_number()
      .bare()
      .keeps(Keep::never);
  list.add(o.logging.output, "output", "FILE", "the page of --report RUN...; -: standard output")
      .alias("-o")
      .keeps(Keep::never);
}

void list_numerics(TrainingOptions& o, OptionList& list) {
  list.group("numerics", Keep::fixed);
  list.add(o.numerics.seed, "seed", "N", "of initial weights, shuffling and dropout").at_least(0);
  list.add_choice(
      o.compute.precision, "precision", "float32|tf32|bfloat16|auto",
      "of weights and activations in forward and backward; tf32: float32, but for CUDA's products; on "
      "the CPU bfloat16 is for AMX or AMD's AVX512_BF16; auto: bfloat16 where that is faster, else float32");
  list.add(o.numerics.bf16, "bf16", "short for --precision bfloat16")
      .keeps(Keep::never)
      .of_ranks(AmongRanks::own);
  list.add(o.numerics.fp16, "fp16", "refused: float16 training overflows").keeps(Keep::never).seldom();
  list.add(o.numerics.throw_on_divergence, "throw-on-divergence",
           "stop when the loss runs away, instead of warning")
      .keeps(Keep::free)
      .seldom();
  list.add(o.numerics.rollback, "rollback",
           "when the loss runs away, or no gradient is finite, "
           "go back to the save before with half the learning rate")
      .keeps(Keep::free)
      .seldom();
  list.add(o.numerics.workspace, "workspace", "MB",
           "most memory for activations; batches that need more are computed in parts, with the same "
           "gradient, but for R-Drop's masks; 0: what a batch needs")
      .alias("-w")
      .between(0, 1e9)
      .keeps(Keep::free)
      .seldom()
      .of_ranks(AmongRanks::own);
  list.add(o.numerics.gradient_checkpointing, "gradient-checkpointing",
           "keep only what enters each layer, and compute its values anew on the way back: less memory, "
           "a third more work, the same gradient")
      .keeps(Keep::free)
      .seldom()
      .of_ranks(AmongRanks::own);
  list.add(o.numerics.print_model, "print-model", "print layers, parameter count and memory plan, and end")
      .keeps(Keep::never);
}

void list_processes(TrainingOptions& o, OptionList& list) {
  list.group("processes");
  list.add(o.processes.shard_optimizer, "shard-optimizer",
           "under mpirun each process keeps a piece of the optimiser's state, and of a bfloat16 model's "
           "float32 weights, and moves that piece of the model; not with muon")
      .seldom();
  list.add(o.processes.collective_timeout, "collective-timeout", "SECONDS",
           "under mpirun, how long a process may keep the others waiting before it is given up for lost, "
           "and the training ends")
      .between(1, 1e6)
      .seldom();
}

void list_general(TrainingOptions& o, OptionList& list) {
  list.group("general");
  list_compute(o.compute, list);
  list.add(o.task, "task", "NAME",
           "preset that sets what is not given: transformer-tiny, transformer-base, multi30k, "
           "multi30k-fast, demo, language-model, smiles, classification")
      .offers(preset_names());
}

}  // namespace

void list_options(TrainingOptions& o, OptionList& list) {
  list_data(o, list);
  list_text(o.text, list);
  list_model(o.model, list);
  list_regularisation(o, list);
  list_updates(o, list);
  list_stopping(o, list);
  list_validation(o, list);
  list_saving(o, list);
  list_logging(o, list);
  list_report(o, list);
  list_numerics(o, list);
  list_processes(o, list);
  list_general(o, list);
}

}  // namespace xf::tools
