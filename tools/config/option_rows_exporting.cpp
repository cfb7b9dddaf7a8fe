#include "tools/config/option_rows.h"

namespace xf::tools {
namespace {

Row model_output_option() {
  return text("output", "", "DIR", "folder for the model, its vocabularies with it").alias("-o");
}
Row overwrite_option() {
  return flag("overwrite", "false", "replace a model that is there").keeps(Keep::never);
}

std::vector<Row> average_options() {
  return {
      text("model", "", "RUN", "run folder whose checkpoints are averaged").alias("-m"),
      integer("last", "", "N",
              "its last N scheduled checkpoints; default: as many as its --keep-last, as training does")
          .at_least(1),
      integer("best", "", "N", "its N best, by the metric that chose the best").at_least(1),
      text("checkpoints", "", "CHECKPOINT...", "these checkpoints, in this order, instead of a run's")
          .any_number()
          .bare()
          .keeps(Keep::never),
      model_output_option(),
      overwrite_option(),
  };
}

std::vector<Row> quantize_options() {
  return {text("model", "", "DIR", kRunHelp).alias("-m"), model_output_option(), overwrite_option()};
}

std::vector<Row> inspect_options() {
  return {
      text("model", "", "MODEL",
           "run folder (its averaged model if there is one), a checkpoint, or any safetensors file")
          .alias("-m")
          .bare(),
      choice("format", "text|json", "text", "form of the output").alias("-f"),
  };
}

std::vector<Row> diff_options() {
  return {
      text("models", "", "A B",
           "two models: run folders, checkpoints, other toolkits' folders, Marian's .npz, safetensors files")
          .exactly(2)
          .bare()
          .keeps(Keep::never),
      real("tolerance", "0", "X", "numbers that differ by at most X are the same").between(0, 1e30),
      choice("format", "text|json", "text", "form of the output").alias("-f"),
  };
}

std::vector<Row> to_options() {
  return {
      choice("format", "ctranslate2|hf-marian|safetensors|text|xformer", "",
             "what becomes of the model: a folder for CTranslate2 or for transformers' MarianMT; one file of "
             "f32 "
             "weights, safetensors or text; or, of another toolkit's folder, of Marian's too, a model of "
             "this one")
          .bare(),
      text("model", "", "DIR", "run folder or checkpoint; for xformer: another toolkit's folder").alias("-m"),
      text("output", "", "PATH", "folder or file to write").alias("-o"),
      overwrite_option(),
      choice("quantization", "float32|float16|int8", "float32",
             "how CTranslate2's file stores weights; int8: matrices, with a scale for each row"),
      flag("verify", "false",
           "read the folder again before it gets its name, and compare log-probabilities with the model's"),
  };
}

}  // namespace

OptionGroup exporting_options() {
  return {{"average", Program::export_average, Keep::free, average_options()},
          {"quantize", Program::export_quantize, Keep::free, quantize_options()},
          {"inspect", Program::export_inspect, Keep::free, inspect_options()},
          {"diff", Program::export_diff, Keep::free, diff_options()},
          {"to", Program::export_to, Keep::free, to_options()}};
}

}  // namespace xf::tools
