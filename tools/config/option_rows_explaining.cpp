#include "tools/config/option_rows.h"

namespace xf::tools {

namespace {

// The form and the place of what a command shows.
std::vector<Row> page(std::vector<Row> rows, std::string_view formats = "text|json|svg|html",
                      std::string_view format = "text") {
  rows.push_back(choice("format", formats, format, "form of the output; default: what the file's ending says")
                     .alias("-f"));
  rows.push_back(text("output", "-", "FILE", "-: standard output").alias("-o"));
  return rows;
}

Row trained_model() {
  return text("model", "", "DIR", "run folder (its averaged model if there is one) or a checkpoint")
      .alias("-m");
}
Row model_or_none() {
  return text("model", "", "DIR", "run folder or checkpoint; default: a micro-model with random weights")
      .alias("-m");
}
Row sentence() { return text("source", "", "SENTENCE", "what is to be translated").bare(); }

std::vector<Row> op_options() {
  return page({text("op", "", "NAME", "the op").bare(),
               text("x", "", "ROWS", "the main input, as 1,2,3;4,5,6; default: an example"),
               text("dy", "", "ROWS", "the gradient from above"),
               text("with", "", "NAME=ROWS...", "another input, as gamma=1,2,3,4").any_number()},
              "text|json");
}

std::vector<Row> steps_options() {
  return page({choice("task", "seed001", "seed001", "the model that is walked through"),
               text("step", "", "NUMBER", "one step alone, as 2.1.1")});
}

std::vector<Row> masks_options() {
  return page({text("source", "", "WORDS",
                    "the encoder's sentences, apart by ';': words or ids; default: an example"),
               text("target", "", "WORDS", "the decoder's, as many"),
               text("pad", "<pad>", "WORD", "what stands behind a sentence that is shorter than others")});
}

std::vector<Row> positions_options() {
  return page({integer("length", "50", "N", "positions").between(1, 2048),
               integer("dim", "64", "N", "width of the model").between(2, 1024),
               choice("layout", "interleaved|split", "interleaved",
                      "sine and cosine in turn, as in the paper, or all sines first"),
               integer("columns", "", "N...",
                       "columns to write out and to draw as curves; default: a few that span the table")
                   .at_least(0)
                   .any_number()});
}

std::vector<Row> attention_options() {
  return page(
      {text("sentence", "", "WORDS", "what to translate or to read; default: an example").any_number().bare(),
       trained_model(), text("target", "", "WORDS", "its translation; default: the model's own"),
       choice("part", "encoder|self|cross|all", "all", "encoder, decoder self-attention, cross-attention"),
       text("layer", "all", "N,...", "which layers, from 0"),
       text("head", "all", "N,...", "which heads, from 0"),
       text("focus", "", "WORD", "what this word looks at, alone")});
}

std::vector<Row> flow_options() {
  return page({text("subject", "", "SUBJECT [SENTENCE]",
                    "model, encoder, training, decoding, attention, feed_forward or positions; with -m, what "
                    "to translate")
                   .up_to(2)
                   .bare(),
               model_or_none()},
              "text|json|svg|html", "svg");
}

std::vector<Row> pair() {
  return {text("source", "", "SENTENCE", "what the encoder reads").bare(),
          text("target", "", "SENTENCE", "its translation"), model_or_none()};
}

std::vector<Row> gradients_options() {
  std::vector<Row> rows = pair();
  rows.push_back(
      flag("check", "false", "compare with central differences in f64; exit code 1 where one is off"));
  rows.push_back(
      integer("samples", "4", "N", "elements per parameter: the largest gradient's and others drawn")
          .between(1, 1000));
  rows.push_back(integer("seed", "1", "N", "another seed draws others").at_least(0));
  return page(rows, "text|json");
}

std::vector<Row> quirk_options() {
  return page({text("quirk", "", "QN", "Q1 to Q25; default: the list of them").bare()});
}

std::vector<Row> beam_options() {
  return page({sentence(), trained_model(),
               integer("beam-size", "", "N", "hypotheses followed at a time; default: as in training")
                   .between(1, 64)
                   .alias("-b"),
               real("normalize", "", "A", "score = log-probability / length^A; default: as in training")
                   .between(0, kLargestPower)
                   .alias("-n")});
}

std::vector<Row> logits_options() {
  return page({sentence(), trained_model(),
               text("target", "", "SENTENCE", "the translation to be followed; default: the model's own"),
               integer("top", "5", "K", "tokens per position").between(1, 100),
               integer("position", "", "N", "this position alone, from 1").at_least(1)},
              "text|json|svg");
}

}  // namespace

OptionGroup explaining_options() {
  const auto command = [](const char* name, Program program, std::vector<Row> rows) {
    return OptionSection{name, program, Keep::never, std::move(rows)};
  };
  return {command("op", Program::explain_op, op_options()),
          command("steps", Program::explain_steps, steps_options()),
          command("masks", Program::explain_masks, masks_options()),
          command("positions", Program::explain_positions, positions_options()),
          command("attention", Program::explain_attention, attention_options()),
          command("flow", Program::explain_flow, flow_options()),
          command("tape", Program::explain_tape, page(pair(), "text|json|svg")),
          command("gradients", Program::explain_gradients, gradients_options()),
          command("beam", Program::explain_beam, beam_options()),
          command("logits", Program::explain_logits, logits_options()),
          command("quirk", Program::explain_quirk, quirk_options())};
}

}  // namespace xf::tools
