#include "tools/config/translation_options.h"

namespace xf::tools {

void list_options(TranslationOptions& o, OptionList& list) {
  list.group("translation");
  list.add(o.model, "model", "DIR...",
           "run folder (its averaged model if there is one) or a checkpoint; several: an ensemble")
      .alias("-m --models")
      .up_to(16);
  list.add(o.weights, "weights", "W...", "of the models of an ensemble; default: all alike")
      .between(0, 1e30)
      .up_to(16)
      .seldom();
  list.add(o.input, "input", "FILE", "text; -: standard input").alias("-i");
  list.add(o.output, "output", "FILE", "one line for each input line; -: standard output").alias("-o");
  list.add(o.beam_size, "beam-size", "N", "hypotheses followed at a time; 1: greedy; default: as in training")
      .alias("-b")
      .between(1, 64);
  list.add(o.normalize, "normalize", "A",
           "hypotheses compare by log-probability / length^A, </s> counted; default: as in training")
      .alias("-n")
      .between(0, kLargestPower);
  list.add(o.word_penalty, "word-penalty", "X",
           "each word adds X to a hypothesis's log-probability; above 0: longer translations")
      .between(-1000, 1000)
      .seldom();
  list.add(o.no_repeat_ngram_size, "no-repeat-ngram-size", "N",
           "no N pieces in a row come twice in a translation; 0: they may")
      .between(0, 64)
      .seldom();
  list.add(o.force_decode, "force-decode",
           "lines are a source, a tab and what the translation begins with; without a tab: a source alone");
  list.add(o.output_sampling, "output-sampling", "full|topk K|nucleus P [T]",
           "draw each token, in place of search: from all, from the K most probable, or from the fewest "
           "that have probability P together; T: temperature")
      .up_to(3);
  list.add(o.seed, "seed", "N", "of --output-sampling: another seed, other translations").at_least(0);
  list.add(o.n_best, "n-best", "all hypotheses: id ||| text ||| F0= log-probability ||| score");
  list.add(o.word_scores, "word-scores",
           "behind each text ||| WordScores= the log-probability of each of its pieces, and of </s>")
      .seldom();
  list.add(o.alignment, "alignment", "hard|soft|X",
           "behind each text ||| which source token each of its tokens comes from: hard: "
           "pairs s-t of the largest weight; soft: all weights; X: pairs of weight X or more, 1: as hard. "
           "Tokens are pieces and </s>, from 0");
  list.add(o.alignment_layer, "alignment-layer", "N",
           "of the decoder, from 0, whose cross-attention is the alignment, "
           "mean over heads; else the last but one")
      .at_least(0)
      .seldom();
  list.add(o.max_length_factor, "max-length-factor", "X", "at most X times the source's tokens and 10 more")
      .between(0, 1e6);
  list.add(o.max_length, "max-length", "N", "and at most N tokens; a cut is reported").at_least(1);
  list.add(o.allow_unk, "allow-unk", "let the output contain <unk>");
  list.add(o.no_spm_encode, "no-spm-encode", "the input is pieces already, apart by spaces").seldom();
  list.add(o.no_spm_decode, "no-spm-decode", "the output stays pieces, apart by spaces").seldom();
  list.add(o.interactive, "interactive",
           "translate each line as it is written: score, tab, translation; Ctrl-D ends");
  list.add(o.continue_, "continue",
           "where a run is stopped or killed the same command goes on; "
           "until the end the lines lie in OUTPUT.unfinished");
  list.add(o.stat_freq, "stat-freq", "N",
           "after every N lines say how many there are, and how fast; 0: never")
      .at_least(0)
      .seldom();
  list.add(o.teacher_forced, "teacher-forced", "REF",
           "no search: the likeliest word at each position of the lines of REF, "
           "each knowing the right words before it");
  list.add_choice(
      o.output_format, "output-format", "plain|seed",
      "of --teacher-forced; seed: as two tutorials print source, target, prediction and their BLEU");
  list.add(o.num_examples, "num-examples", "N",
           "of --output-format seed: the first N pairs of each batch; else all")
      .at_least(0);
  list.add(o.mini_batch, "mini-batch", "N", "sentences translated together").between(1, kLargestBatch);
  list_precision(o.compute, list);
  list.group("general");
  list_compute(o.compute, list);
}

void list_options(GenerationOptions& o, OptionList& list) {
  list.group("generation");
  list.add(o.model, "model", "DIR", kRunHelp).alias("-m");
  list.add(o.input, "input", "FILE",
           "a prompt a line, to go on from; -: standard input; none: the empty prompt")
      .alias("-i");
  list.add(o.output, "output", "FILE", "prompts and what follows, a line each; -: standard output")
      .alias("-o");
  list.add(o.samples, "samples", "N", "lines for each prompt").between(1, 1e9);
  list.add(o.temperature, "temperature", "X",
           "below 1 the probable becomes more so; 0: always the most probable token")
      .between(0, 1e6);
  list.add(o.top_k, "top-k", "N", "draw among the N most probable tokens; 0: among all").at_least(0);
  list.add(o.top_p, "top-p", "P", "of these, among the fewest that have probability P together; 1: among all")
      .between(0, 1);
  list.add(o.max_length, "max-length", "N", "at most N tokens a line; a cut is reported").between(1, 2048);
  list.add(o.seed, "seed", "N", "another seed, other lines").at_least(0);
  list.add(o.mini_batch, "mini-batch", "N", "lines written together").between(1, kLargestBatch);
  list_precision(o.compute, list);
  list.group("general");
  list_compute(o.compute, list);
}

void list_options(ClassificationOptions& o, OptionList& list) {
  list.group("classification");
  list.add(o.model, "model", "DIR", kRunHelp).alias("-m");
  list.add(o.input, "input", "FILE", "a text a line; -: standard input").alias("-i");
  list.add(o.output, "output", "FILE", "class, tab, probability for each line; -: standard output")
      .alias("-o");
  list.add(o.all_classes, "all-classes", "all classes, the most probable first");
  list.add(o.mini_batch, "mini-batch", "N", "texts read together").between(1, kLargestBatch);
  list_precision(o.compute, list);
  list.group("general");
  list_compute(o.compute, list);
}

}  // namespace xf::tools
