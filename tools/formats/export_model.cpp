#include "tools/formats/export_model.h"
#include "tools/config/command_line.h"
#include "tools/config/program_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/folder_entries.h"
#include "core/folder_writer.h"
#include "core/parallel.h"
#include "data/sentencepiece_folding.h"
#include "data/vocabularies.h"
#include "nn/checkpoint/run_folder.h"
#include "nn/model_variant.h"
#include "tools/config/config_file.h"
#include "tools/console/message.h"
#include "tools/console/output_file.h"
#include "tools/console/progress.h"
#include "tools/formats/compare_models.h"
#include "tools/formats/ctranslate2.h"
#include "tools/formats/hf_marian.h"
#include "tools/formats/import_model.h"
#include "tools/formats/loaded_model.h"
#include "tools/formats/output_folder.h"

namespace xf::tools {

namespace {

// Vocabularies for other toolkits, in which nobody lower-cases a text before it is cut.

// Null where it cannot.
std::shared_ptr<const data::Tokenizer> folding_case(const data::Tokenizer& tokenizer,
                                                    const std::string& where) {
  if (std::string_view(tokenizer.extension()) != ".spm") return nullptr;
  const std::string model = tokenizer.serialize();
  if (!data::sentencepiece_keeps_text(model)) return nullptr;
  return data::make_tokenizer(data::sentencepiece_folding_case(model, where), where);
}

// The same pieces; SentencePiece models lower-case text themselves. What cannot, such as a list of
// words, is as it was, and a warning says what the caller has to do. `where`: the model, for it.
data::Vocabularies with_folded_case(const data::Vocabularies& vocabularies, const std::string& where,
                                    std::vector<std::string>& warnings) {
  const auto source = folding_case(*vocabularies.source, where);
  const auto target = vocabularies.joint() ? source : folding_case(*vocabularies.target, where);
  if (!source || !target)
    warnings.push_back(fmt::format(
        "{}: knows lower case alone, and its vocabulary does not lower-case: lower-case a text before it is "
        "split into words",
        where));
  data::Vocabularies folded = vocabularies;
  if (source) folded.source = source;
  if (target) folded.target = target;
  return folded;
}

// A model's weights in one file that programs of any kind read.
void write_text(const std::string& path, const nn::TensorMap& tensors) {
  OutputFile output(path);
  for (const auto& [name, tensor] : tensors) {
    std::string line = name;
    for (int i = 0; i < tensor.rank(); ++i) line += fmt::format(" {}", tensor.dim(i));
    output.write_line(line);
    // A vector is one row.
    const int64_t rows = tensor.rank() == 1 ? 1 : tensor.rows(), width = tensor.numel() / rows;
    for (int64_t i = 0; i < rows; ++i) {
      const auto* row = tensor.data<float>() + i * width;
      output.write_line(fmt::format("{}", fmt::join(row, row + width, " ")));
    }
  }
  output.close();
}

// --model's weights as f32, under the engine's names (docs/exchange.md), to the file --output: as
// safetensors, its metadata with the configuration and the vocabulary's checksum; or as text, "NAME
// EXTENT..." and a line for each row, numbers apart by spaces, each the shortest that reads back to
// the same f32. Any model but one in eight bits.
void write_weights(const ExportOptions& options) {
  const std::string& output = options.output;
  refuse_existing(output, options.overwrite);
  check_folder_of(output);
  const std::string& model = options.model;
  const bool foreign = exchange::is_foreign(model);
  const std::string folder = foreign ? model : nn::find_model_folder(model);
  const nn::Checkpoint checkpoint =
      foreign ? exchange::import_model(model).checkpoint : nn::read_model(folder);
  if (nn::is_quantized(checkpoint.model))
    fail(ErrorKind::usage, "{}: its weights are int8; give the model before quantization", folder);
  refuse_input_as_output(output);
  if (options.format == "text") {
    write_text(output, checkpoint.model);
  } else {
    nn::Metadata metadata = checkpoint.metadata;
    metadata["config"] = config_as_json(
        checkpoint.training_config.empty() ? checkpoint.model_config : checkpoint.training_config, folder);
    nn::write_safetensors(output, checkpoint.model, metadata);
  }
  if (!options.quiet)
    tell("{}: {} of {}", output, counted(static_cast<int64_t>(checkpoint.model.size()), "tensor"), folder);
}

namespace fs = std::filesystem;
using exchange::ExchangedModel;
using exchange::Quantization;

// What another toolkit has for models of ours that are used: those that translate, in f32.
ExchangedModel exchanged(const ModelFiles& files, const std::string& format) {
  const LoadedModel& model = *files.model;
  const nn::TransformerConfig& config = model.model->config();
  const auto refuse = [&](const std::string& what) {
    fail(ErrorKind::usage, "{}: {}, and {} has models that translate alone; safetensors and text hold any",
         model.folder, what, format);
  };
  if (config.type == nn::ModelType::language_model) refuse("a language model");
  if (config.type == nn::ModelType::classification) refuse("a classifier");
  if (!config.supports(nn::Feature::exchange))
    refuse(fmt::format("trained with --{}", config.variant->name()));
  if (nn::is_quantized(files.checkpoint.model))
    fail(ErrorKind::usage, "{}: its weights are int8; give the model before quantization", model.folder);
  ExchangedModel result{.config = config,
                        .tensors = files.checkpoint.model,
                        .vocabularies = model.vocabularies,
                        .lowercase = model.settings.text.lowercase,
                        .beam_size = model.settings.search.beam_size,
                        .normalize = model.settings.search.normalize,
                        .where = model.folder};
  if (result.lowercase)
    result.vocabularies = with_folded_case(model.vocabularies, model.folder, result.warnings);
  if (const auto tags = model.vocabularies.source->tags(); format == "ctranslate2" && !tags.empty())
    result.warnings.push_back(fmt::format(
        "{0}: reads tags in front of a line: "
        "give them as tokens of their own, [\"{1}\"] + pieces.encode(TEXT); "
        "in the text, {1} TEXT, SentencePiece puts a \u2581 before them, which the model does not know there",
        model.folder, tags.front()));
  return result;
}

// How another toolkit's folder is written and read.
struct FolderFormat {
  std::vector<std::string> files;  // that may lie in it
  std::function<void(const ExchangedModel&)> check;
  std::function<void(const std::string& folder, const ExchangedModel&, Quantization)> write;
  std::function<ExchangedModel(const std::string& folder)> read;
};

FolderFormat folder_format(const std::string& name) {
  if (name == "hf-marian")
    return {{"model.safetensors", "config.json", "generation_config.json", "tokenizer_config.json",
             "vocab.json", "target_vocab.json", "source.spm", "target.spm"},
            exchange::check_hf_marian,
            [](const std::string& folder, const ExchangedModel& model, Quantization) {
              exchange::write_hf_marian(folder, model);
            },
            exchange::read_hf_marian};
  return {{"model.bin", "config.json", "shared_vocabulary.json", "source_vocabulary.json",
           "target_vocabulary.json", "vocab.spm", "vocab.source.spm", "vocab.target.spm", "vocab.txt",
           "vocab.source.txt", "vocab.target.txt"},
          exchange::check_ctranslate2,
          exchange::write_ctranslate2,
          exchange::read_ctranslate2};
}

// The folder that --output names. Error usage where something is in its place that --overwrite may
// not replace: any file that the format does not have.
std::string output_of_format(const ExportOptions& options, const FolderFormat& format) {
  const auto is_of_format = [&](const fs::directory_entry& entry) {
    return std::ranges::find(format.files, entry.path().filename().string()) != format.files.end();
  };
  const std::string output = output_folder(options.output, options.overwrite, [&](const std::string& folder) {
    return fs::is_directory(folder) && std::ranges::all_of(entries_of(folder), is_of_format);
  });
  check_folder_of(output);
  return output;
}

Quantization quantization_of(const ExportOptions& options) {
  const std::string& name = options.quantization;
  return name == "int8"      ? Quantization::int8
         : name == "float16" ? Quantization::float16
                             : Quantization::float32;
}

// How far log-probabilities of what is stored so may be from those of the model.
double tolerance_of(Quantization quantization) {
  switch (quantization) {
    case Quantization::float32: return 1e-5;
    case Quantization::float16: return 0.05;
    case Quantization::int8: return 1;
  }
  return 0;
}

void verify(const ExchangedModel& model, const ExchangedModel& written, Quantization quantization,
            const ExportOptions& options) {
  const double difference = exchange::largest_difference(model, written);
  if (!(difference <= tolerance_of(quantization)))
    fail(ErrorKind::failure,
         "verify: read again, log-probabilities differ by up to {:.2g}, "
         "which is over {:.2g}; nothing is written",
         difference, tolerance_of(quantization));
  if (!options.quiet) tell("verified: read again, log-probabilities differ by at most {:.2g}", difference);
}

void import_model(const ExportOptions& options) {
  const std::string& foreign = options.model;
  if (!exchange::is_foreign(foreign))
    fail(ErrorKind::usage,
         "{}: no model of another toolkit: neither CTranslate2's model.bin, nor MarianMT's config.json with "
         "weights, nor a .npz of Marian's",
         foreign);
  const std::string output = model_output(options.output, options.overwrite);
  exchange::ImportedModel imported = exchange::import_model(foreign);
  write_model(output, std::move(imported.checkpoint), "");
  for (const std::string& warning : imported.warnings) tell("warning: {}", warning);
  if (!options.quiet) tell("{}: converted from {}", output, foreign);
}

void write_folder_of(const ExportOptions& options, const std::string& format_name) {
  const FolderFormat format = folder_format(format_name);
  const std::string folder = output_of_format(options, format);
  const ModelFiles files = read_model_files(options.model, DType::f32);
  const ExchangedModel model = exchanged(files, format_name);
  format.check(model);
  const Quantization quantization = quantization_of(options);
  write_folder(folder, [&](const std::string& temporary) {
    format.write(temporary, model, quantization);
    if (options.verify) verify(model, format.read(temporary), quantization, options);
  });
  for (const std::string& warning : model.warnings) tell("warning: {}", warning);
  if (!options.quiet) tell("{}: {} for {}", folder, model.where, format_name);
}

}  // namespace

void convert_model(const ExportOptions& options) {
  options_of(options).require("format");
  options_of(options).require("model");
  options_of(options).require("output");
  const std::string& format = options.format;
  for (const auto& [name, formats] :
       {std::pair{"quantization", "ctranslate2"}, std::pair{"verify", "ctranslate2 hf-marian"}}) {
    if (options_of(options).at(name).text() != default_options("xformer-export to").at(name).text() &&
        std::string_view(formats).find(format) == std::string_view::npos)
      fail(ErrorKind::usage, "--{} is for {}", name, formats);
  }
  if (format == "safetensors" || format == "text") return write_weights(options);
  if (format == "xformer") return import_model(options);
  write_folder_of(options, format);
}

}  // namespace xf::tools
