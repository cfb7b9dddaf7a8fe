#include "tools/config/export_options.h"

namespace xf::tools {

void list_options(AverageOptions& o, OptionList& list) {
  list.group("average");
  list.add(o.model, "model", "RUN", "run folder whose checkpoints are averaged").alias("-m");
  list.add(o.last, "last", "N",
           "its last N scheduled checkpoints; default: as many as its --keep-last, as training does")
      .at_least(1);
  list.add(o.best, "best", "N", "its N best, by the metric that chose the best").at_least(1);
  list.add(o.checkpoints, "checkpoints", "CHECKPOINT...",
           "these checkpoints, in this order, instead of a run's")
      .any_number()
      .bare()
      .keeps(Keep::never);
  list.add(o.output, "output", "DIR", "folder for the model, its vocabularies with it").alias("-o");
  list.add(o.overwrite, "overwrite", "replace a model that is there").keeps(Keep::never);
}

void list_options(QuantizeOptions& o, OptionList& list) {
  list.group("quantize");
  list.add(o.model, "model", "DIR", kRunHelp).alias("-m");
  list.add(o.output, "output", "DIR", "folder for the model, its vocabularies with it").alias("-o");
  list.add(o.overwrite, "overwrite", "replace a model that is there").keeps(Keep::never);
}

void list_options(InspectOptions& o, OptionList& list) {
  list.group("inspect");
  list.add(o.model, "model", "MODEL",
           "run folder (its averaged model if there is one), a checkpoint, or any safetensors file")
      .alias("-m")
      .bare();
  list.add_choice(o.format, "format", "text|json", "form of the output").alias("-f");
}

void list_options(DiffOptions& o, OptionList& list) {
  list.group("diff");
  list.add(o.models, "models", "A B",
           "two models: run folders, checkpoints, other toolkits' folders, Marian's .npz, safetensors files")
      .exactly(2)
      .bare()
      .keeps(Keep::never);
  list.add(o.tolerance, "tolerance", "X", "numbers that differ by at most X are the same").between(0, 1e30);
  list.add_choice(o.format, "format", "text|json", "form of the output").alias("-f");
}

void list_options(ExportOptions& o, OptionList& list) {
  list.group("to");
  list.add_choice(o.format, "format", "ctranslate2|hf-marian|safetensors|text|xformer",
                  "what becomes of the model: a folder for CTranslate2 or for transformers' MarianMT; "
                  "one file of f32 weights, safetensors or text; "
                  "or, of another toolkit's folder, of Marian's too, a model of this one")
      .bare();
  list.add(o.model, "model", "DIR", "run folder or checkpoint; for xformer: another toolkit's folder")
      .alias("-m");
  list.add(o.output, "output", "PATH", "folder or file to write").alias("-o");
  list.add(o.overwrite, "overwrite", "replace a model that is there").keeps(Keep::never);
  list.add_choice(o.quantization, "quantization", "float32|float16|int8",
                  "how CTranslate2's file stores weights; int8: matrices, with a scale for each row");
  list.add(o.verify, "verify",
           "read the folder again before it gets its name, and compare log-probabilities with the model's");
}

}  // namespace xf::tools
