#include "tools/config/explain_options.h"

namespace xf::tools {
namespace {

void list_pair(PairOptions& o, OptionList& list) {
  list.add(o.source, "source", "SENTENCE", "what the encoder reads").bare();
  list.add(o.target, "target", "SENTENCE", "its translation");
  list.add(o.model, "model", "DIR", "run folder or checkpoint; default: a micro-model with random weights")
      .alias("-m");
}

}  // namespace

void list_options(OpOptions& o, OptionList& list) {
  list.group("op", Keep::never);
  list.add(o.op, "op", "NAME", "the op").bare();
  list.add(o.x, "x", "ROWS", "the main input, as 1,2,3;4,5,6; default: an example");
  list.add(o.dy, "dy", "ROWS", "the gradient from above");
  list.add(o.with, "with", "NAME=ROWS...", "another input, as gamma=1,2,3,4").any_number();
  list_page(o, list, "text|json");
}

void list_options(StepsOptions& o, OptionList& list) {
  list.group("steps", Keep::never);
  list.add_choice(o.task, "task", "seed001", "the model that is walked through");
  list.add(o.step, "step", "NUMBER", "one step alone, as 2.1.1");
  list_page(o, list, "text|json|svg|html");
}

void list_options(MasksOptions& o, OptionList& list) {
  list.group("masks", Keep::never);
  list.add(o.source, "source", "WORDS",
           "the encoder's sentences, apart by ';': words or ids; default: an example");
  list.add(o.target, "target", "WORDS", "the decoder's, as many");
  list.add(o.pad, "pad", "WORD", "what stands behind a sentence that is shorter than others");
  list_page(o, list, "text|json|svg|html");
}

void list_options(PositionsOptions& o, OptionList& list) {
  list.group("positions", Keep::never);
  list.add(o.length, "length", "N", "positions").between(1, 2048);
  list.add(o.dim, "dim", "N", "width of the model").between(2, 1024);
  list.add_choice(o.layout, "layout", "interleaved|split",
                  "sine and cosine in turn, as in the paper, or all sines first");
  list.add(o.columns, "columns", "N...",
           "columns to write out and to draw as curves; default: a few that span the table")
      .at_least(0)
      .any_number();
  list_page(o, list, "text|json|svg|html");
}

void list_options(AttentionOptions& o, OptionList& list) {
  list.group("attention", Keep::never);
  list.add(o.sentence, "sentence", "WORDS", "what to translate or to read; default: an example")
      .any_number()
      .bare();
  list.add(o.model, "model", "DIR", kRunHelp).alias("-m");
  list.add(o.target, "target", "WORDS", "its translation; default: the model's own");
  list.add_choice(o.part, "part", "encoder|self|cross|all",
                  "encoder, decoder self-attention, cross-attention");
  list.add(o.layer, "layer", "N,...", "which layers, from 0");
  list.add(o.head, "head", "N,...", "which heads, from 0");
  list.add(o.focus, "focus", "WORD", "what this word looks at, alone");
  list_page(o, list, "text|json|svg|html");
  list.group("general");
  list_compute(o.compute, list);
}

void list_options(FlowOptions& o, OptionList& list) {
  list.group("flow", Keep::never);
  list.add(o.subject, "subject", "SUBJECT [SENTENCE]",
           "model, encoder, training, decoding, attention, feed_forward or positions; "
           "with -m, what to translate")
      .up_to(2)
      .bare();
  list.add(o.model, "model", "DIR", "run folder or checkpoint; default: a micro-model with random weights")
      .alias("-m");
  list_page(o, list, "text|json|svg|html");
  list.group("general");
  list_compute(o.compute, list);
}

void list_options(TapeOptions& o, OptionList& list) {
  list.group("tape", Keep::never);
  list_pair(o, list);
  list_page(o, list, "text|json|svg");
  list.group("general");
  list_threads(o.compute, list);
}

void list_options(GradientsOptions& o, OptionList& list) {
  list.group("gradients", Keep::never);
  list_pair(o, list);
  list.add(o.check, "check", "compare with central differences in f64; exit code 1 where one is off");
  list.add(o.samples, "samples", "N", "elements per parameter: the largest gradient's and others drawn")
      .between(1, 1000);
  list.add(o.seed, "seed", "N", "another seed draws others").at_least(0);
  list_page(o, list, "text|json");
  list.group("general");
  list_threads(o.compute, list);
}

void list_options(BeamOptions& o, OptionList& list) {
  list.group("beam", Keep::never);
  list.add(o.source, "source", "SENTENCE", "what is to be translated").bare();
  list.add(o.model, "model", "DIR", kRunHelp).alias("-m");
  list.add(o.beam_size, "beam-size", "N", "hypotheses followed at a time; default: as in training")
      .alias("-b")
      .between(1, 64);
  list.add(o.normalize, "normalize", "A", "score = log-probability / length^A; default: as in training")
      .alias("-n")
      .between(0, kLargestPower);
  list_page(o, list, "text|json|svg|html");
  list.group("general");
  list_compute(o.compute, list);
}

void list_options(LogitsOptions& o, OptionList& list) {
  list.group("logits", Keep::never);
  list.add(o.source, "source", "SENTENCE", "what is to be translated").bare();
  list.add(o.model, "model", "DIR", kRunHelp).alias("-m");
  list.add(o.target, "target", "SENTENCE", "the translation to be followed; default: the model's own");
  list.add(o.top, "top", "K", "tokens per position").between(1, 100);
  list.add(o.position, "position", "N", "this position alone, from 1").at_least(1);
  list_page(o, list, "text|json|svg");
  list.group("general");
  list_compute(o.compute, list);
}

void list_options(QuirkOptions& o, OptionList& list) {
  list.group("quirk", Keep::never);
  list.add(o.quirk, "quirk", "QN", "Q1 to Q25; default: the list of them").bare();
  list_page(o, list, "text|json|svg|html");
}

}  // namespace xf::tools
