#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/error.h"
#include "data/vocabularies.h"
#include "tools/formats/foreign_vocabulary.h"
#include "tools/formats/list_format.h"
#include "tools/formats/marian.h"
#include "tools/formats/marian_options.h"
#include "tools/formats/npz_file.h"
#include "tools/formats/settings.h"
#include "tools/formats/tensor_names.h"
#include "tools/formats/zero_beginning.h"

namespace xf::tools::exchange {

namespace {

namespace fs = std::filesystem;

constexpr const char *kEnding = ".npz", *kOptions = "special:model.yml", *kUnknown = "<unk>", *kEnd = "</s>";

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code unknown;
  for (const auto& entry : fs::directory_iterator(folder, unknown)) {
    if (entry.path().extension() == kEnding && entry.is_regular_file(unknown))
      found.push_back(entry.path().string());
  }
  std::ranges::sort(found);
  return found;
}

std::string weights_file(const std::string& path) {
  std::error_code unknown;
  if (!fs::is_directory(path, unknown)) return path;
  const std::vector<std::string> files = files_in(path);
  if (files.empty()) fail(ErrorKind::data, "{}: no .npz file in this folder; copy it again", path);
  if (files.size() == 1) return files.front();
  if (is_there(path + "/model.npz")) return path + "/model.npz";
  fail(ErrorKind::usage, "{}: {} .npz files and none is model.npz; name the one to be read", path,
       files.size());
}

Tensor matrix(const StoredWeights& weights, const std::string& name) {
  const Tensor values = weights.tensor(name);
  if (values.rank() != 2) fail(ErrorKind::data, "{}: {} is not a matrix", weights.path(), name);
  return values;
}

// Error usage for a tensor that nobody has read: the model does more than this engine knows of.
void check_all_read(const StoredWeights& weights) {
  for (const std::string& name : weights.left_over()) {
    if (!name.starts_with("special:"))
      fail(ErrorKind::usage, "{}: has {}, which models of this engine with the same options do not have",
           weights.path(), name);
  }
}

MarianOptions options_of(const StoredWeights& weights) {
  if (!weights.has(kOptions))
    fail(ErrorKind::data, "{}: has no {}; a model that Marian wrote has one", weights.path(), kOptions);
  const std::string where = weights.path() + ": " + kOptions;
  return {text_of(weights.array(kOptions), where), where};
}

// The options of a translation, where Marian or OPUS-MT left them.
MarianOptions decoder_options(const std::string& npz, const MarianOptions& model) {
  const std::string folder = fs::path(npz).parent_path().string();
  for (const std::string& path : {npz + ".decoder.yml", folder + "/decoder.yml"}) {
    if (is_there(path)) return {read_model_text(path), path};
  }
  return model;
}

// The defaults of a search, which another one may have in their place. `decoder` may be the model's
// own options, whose lengths are those of training.
void take_search(const MarianOptions& decoder, bool is_of_search, ExchangedModel& model) {
  take_search(model, decoder.path(), {"beam-size", static_cast<double>(decoder.integer("beam-size", 6))},
              {"normalize", decoder.number("normalize", 0)});
  const std::vector<std::string> others = is_of_search ? decoder.other_search() : std::vector<std::string>();
  if (!others.empty())
    model.warnings.push_back(fmt::format("{}: not read, and would change translations there: {}",
                                         decoder.path(), fmt::join(others, ", ")));
}

// As an option names it, and as it lies beside the model: paths are often those of another machine.
// What lies outside of the model's folder is none of its files.
std::string vocabulary_path(const std::string& named, const std::string& folder) {
  const fs::path path(named);
  const std::string beside = folder + "/" + path.filename().string();
  const bool leads_out = path.is_absolute() || std::ranges::find(path, fs::path("..")) != path.end();
  std::error_code unknown;
  if (fs::is_regular_file(beside, unknown)) return beside;
  if (!leads_out && fs::is_regular_file(folder + "/" + named, unknown)) return folder + "/" + named;
  fail(ErrorKind::data, "{}: is missing; the model's vocabulary must be in the same folder", beside);
}

ForeignVocabulary listed(const std::string& path) {
  std::string bytes = read_model_text(path);
  ForeignVocabulary vocabulary;
  if (path.ends_with(".spm")) {
    const auto tokenizer = data::make_tokenizer(std::move(bytes), path);
    for (int32_t id = 0; id < tokenizer->size(); ++id) vocabulary.pieces.push_back(tokenizer->piece(id));
  } else {
    vocabulary.pieces = listed_words(bytes, path);
  }
  vocabulary.specials = {.unk = kUnknown, .bos = "", .eos = kEnd, .pad = ""};
  return vocabulary;
}

data::Vocabularies read_vocabularies(const std::string& npz, const MarianOptions& model,
                                     const MarianOptions& decoder, bool shared,
                                     std::vector<std::string>& warnings) {
  const std::string folder = fs::path(npz).parent_path().string();
  std::vector<std::string> named = decoder.words("vocabs");
  if (named.empty()) named = model.words("vocabs");
  if (named.size() != 2)
    fail(ErrorKind::usage, "{}: vocabs are {}; models with a source and a target are read", decoder.path(),
         named.size());
  const std::string source_path = vocabulary_path(named[0], folder.empty() ? "." : folder),
                    target_path = vocabulary_path(named[1], folder.empty() ? "." : folder);
  const bool joint = source_path == target_path || named[0] == named[1];
  ForeignVocabulary source = listed(source_path), target = joint ? source : listed(target_path);
  if (shared && source.pieces != target.pieces)
    fail(ErrorKind::data, "{}: both sides share a table, and their vocabularies differ", npz);
  add_beginning(target);
  if (joint || shared) source = target;
  if (source_path.ends_with(".spm") && target_path.ends_with(".spm"))
    return foreign_vocabularies({source_path, target_path}, source, target, joint, warnings);
  return foreign_vocabularies(folder, source, target, joint, warnings);
}

Tensor output_weight(const StoredWeights& weights) {
  if (weights.has(kMarianOutput)) return matrix(weights, kMarianOutput);
  return transposed(matrix(weights, kMarianOldOutput));
}

nn::Tying tying_of(const StoredWeights& weights) {
  if (weights.has(kMarianOutput) || weights.has(kMarianOldOutput)) return nn::Tying::none;
  return weights.has(kMarianShared) ? nn::Tying::all : nn::Tying::target;
}

// The table of a side, with the row of the piece that translations begin with if its vocabulary has
// it.
Tensor table(const StoredWeights& weights, const std::string& name, const data::Tokenizer& vocabulary,
             bool begins) {
  const Tensor rows = matrix(weights, name);
  const int64_t pieces = vocabulary.size() - (begins ? 1 : 0);
  if (rows.dim(0) != pieces)
    fail(ErrorKind::data, "{}: {} has {} rows, and its vocabulary {} pieces", weights.path(), name,
         rows.dim(0), pieces);
  return begins ? with_beginning(rows) : rows;
}

Tensor tensor_of(const StoredWeights& weights, const std::string& name,
                 const data::Vocabularies& vocabularies) {
  const data::Tokenizer &source = *vocabularies.source, &target = *vocabularies.target;
  if (name == kMarianShared || name == kMarianTarget)
    return table(weights, weights.first_of({kMarianTarget, kMarianShared}), target, true);
  if (name == kMarianSource)
    return table(weights, weights.first_of({kMarianSource, kMarianShared}), source,
                 source.bos_id() >= 0 && source.bos_id() == source.size() - 1);
  if (name == kMarianOutput) return with_beginning(output_weight(weights));
  if (name != kMarianBias) return weights.tensor(name);
  if (weights.has(name)) return with_beginning_bias(weights.tensor(name));
  return with_beginning_bias(Tensor::zeros({target.size() - 1}, DType::f32));
}

}  // namespace

bool is_marian(const std::string& path) {
  std::error_code unknown;
  if (fs::is_directory(path, unknown)) return !files_in(path).empty();
  return path.ends_with(kEnding) && fs::is_regular_file(path, unknown);
}

ExchangedModel read_marian(const std::string& path) {
  const std::string npz = weights_file(path);
  const StoredWeights weights(npz, npz_arrays(npz));
  const MarianOptions options = options_of(weights), decoder = decoder_options(weights.path(), options);
  ExchangedModel model;
  model.where = path;
  model.config = options.config();
  model.config.tying = tying_of(weights);
  model.vocabularies =
      read_vocabularies(weights.path(), options, decoder, weights.has(kMarianShared), model.warnings);
  model.config.source_vocabulary = model.vocabularies.source->size();
  model.config.target_vocabulary = model.vocabularies.target->size();
  model.config = checked(model.config);
  const TensorParts parts = marian_parts(model.config);
  const auto theirs = [&](const std::string& name) { return tensor_of(weights, name, model.vocabularies); };
  model.tensors = joined_model(theirs, parts, model.config, weights.bytes(), weights.path());
  check_all_read(weights);
  take_search(decoder, decoder.path() != options.path(), model);
  return model;
}

}  // namespace xf::tools::exchange
