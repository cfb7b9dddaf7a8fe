#include "tools/app/pretrained_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "data/vocabularies.h"
#include "nn/checkpoint/safetensors.h"
#include "tools/app/extended_vocabulary.h"
#include "tools/config/training_options.h"
#include "tools/console/progress.h"
#include "tools/formats/stored_model.h"
#include "tools/setup/task_data.h"
#include "tools/setup/text_options.h"

namespace xf::tools {

namespace {

using What = InitialisedTensor::What;

bool same_but_rows(const Shape& a, const Shape& b) {
  return a.rank() == b.rank() && a.numel() / a[0] == b.numel() / b[0];
}

What take(const Tensor& from, const nn::ParameterStore& store, const nn::Parameter& parameter) {
  if (from.dtype() != DType::f32) return What::fresh;
  if (from.shape() == parameter.shape) {
    store.set(parameter, from);
    return What::taken;
  }
  if (!same_but_rows(from.shape(), parameter.shape)) return What::fresh;
  const int64_t rows = std::min(from.dim(0), parameter.shape[0]);
  store.set(parameter, from.slice_rows(0, rows));
  return What::reshaped;
}

const char* name_of(What what) {
  switch (what) {
    case What::taken: return "taken";
    case What::reshaped: return "reshaped";
    case What::fresh: return "new";
    case What::left_out: return "left out";
  }
  return "";
}

int64_t count(const std::vector<InitialisedTensor>& tensors, What what) {
  return std::ranges::count(tensors, what, &InitialisedTensor::what);
}

}  // namespace

std::vector<InitialisedTensor> init_from(const nn::TensorMap& from, const nn::ParameterStore& store,
                                         const std::string& where) {
  std::vector<InitialisedTensor> tensors;
  bool any_matrix = false;
  for (const nn::Parameter& parameter : store.parameters()) {
    const auto found = from.find(parameter.name);
    const bool there = found != from.end();
    const What what = there ? take(found->second, store, parameter) : What::fresh;
    any_matrix = any_matrix || (what == What::taken && parameter.shape.rank() == 2);
    tensors.push_back({what, parameter.name, parameter.shape.to_string(),
                       there ? found->second.shape().to_string() : "", parameter.rate});
  }
  if (!any_matrix)
    fail(
        ErrorKind::usage,
        "pretrained-model: {} has no matrix of this model's shapes; compare both with xformer-export inspect",
        where);
  for (const auto& [name, tensor] : from) {
    if (std::ranges::find(tensors, name, &InitialisedTensor::name) == tensors.end())
      tensors.push_back({What::left_out, name, "", tensor.shape().to_string()});
  }
  return tensors;
}

std::vector<std::string> beginning_lines(const std::vector<InitialisedTensor>& tensors,
                                         const std::string& where) {
  std::string counts =
      fmt::format("begins with {} of {}", counted(count(tensors, What::taken), "tensor"), where);
  for (const What what : {What::reshaped, What::fresh, What::left_out}) {
    if (const int64_t n = count(tensors, what); n > 0) counts += fmt::format(", {} {}", n, name_of(what));
  }
  std::vector<std::string> lines = {counts};
  for (const InitialisedTensor& tensor : tensors) {
    std::string shapes;
    if (!tensor.shape.empty()) shapes += " " + tensor.shape;
    if (!tensor.shape_there.empty()) shapes += " from " + tensor.shape_there;
    if (tensor.what == What::fresh && !tensor.shape_there.empty())
      shapes = fmt::format(" {}, which is {} there", tensor.shape, tensor.shape_there);
    if (tensor.what != What::taken)
      lines.push_back(fmt::format("{}: {}{}", name_of(tensor.what), tensor.name, shapes));
  }
  return lines;
}

std::string to_tsv(const std::vector<InitialisedTensor>& tensors) {
  std::string table = "what\ttensor\tshape\tshape there\trate\n";
  for (const InitialisedTensor& tensor : tensors)
    table +=
        fmt::format("{}\t{}\t{}\t{}\t{}\n", name_of(tensor.what), tensor.name, tensor.shape,
                    tensor.shape_there, tensor.what == What::left_out ? "" : fmt::format("{}", tensor.rate));
  return table;
}

namespace {

// Those of a classifier's text are compared: its classes may be others.
void check_same_vocabularies(const StoredModel& from, const std::vector<std::string>& pieces,
                             const data::Vocabularies& vocabularies, bool classifies) {
  const auto checksum = [&](const data::Vocabularies& all) {
    return classifies ? all.source->checksum() : all.checksum();
  };
  const data::Vocabularies wanted = pieces.empty() ? from.vocabularies : extended(from.vocabularies, pieces);
  if (checksum(wanted) == checksum(vocabularies)) return;
  if (!pieces.empty())
    fail(ErrorKind::usage, "vocabs: not those of {}, which --extend-vocab extends; leave it out",
         from.folder);
  fail(ErrorKind::data, "{}: was trained with another vocabulary; leave out --vocabs to use the model's",
       from.folder);
}

// The head has a row for each class.
bool is_of_classes(const std::string& parameter) { return parameter.starts_with("output."); }

// A head of other classes: those that both have take their rows along, the others begin as usual.
std::string begin_classes(const StoredModel& from, const data::Vocabularies& vocabularies,
                          const nn::ParameterStore& store, std::vector<InitialisedTensor>& tensors) {
  std::map<std::string, int32_t> before;
  for (int32_t id = 0; id < from.vocabularies.target->size(); ++id)
    before[from.vocabularies.target->piece(id)] = id;
  const data::Tokenizer& classes = *vocabularies.target;
  int64_t known = 0;
  for (int32_t id = 0; id < classes.size(); ++id) known += before.contains(classes.piece(id));
  for (const nn::Parameter& parameter : store.parameters()) {
    if (!is_of_classes(parameter.name)) continue;
    const Tensor& rows = from.checkpoint.model.at(parameter.name);
    const int64_t width = parameter.shape.numel() / parameter.shape[0];
    if (known == 0 || rows.numel() != width * rows.dim(0)) continue;
    for (int32_t id = 0; id < classes.size(); ++id) {
      const auto row = before.find(classes.piece(id));
      if (row != before.end())
        store.set(parameter, rows.slice_rows(row->second, row->second + 1), id * width);
    }
    InitialisedTensor& tensor = *std::ranges::find(tensors, parameter.name, &InitialisedTensor::name);
    tensor.what = What::reshaped;
    tensor.shape_there = rows.shape().to_string();
  }
  return fmt::format("classes: {} from the model, {} new", known, classes.size() - known);
}

}  // namespace

Pretrained begin_pretrained(const TrainingOptions& options, const data::Vocabularies& vocabularies,
                            const nn::ParameterStore& store) {
  const StoredModel from = read_stored_model(options.saving.pretrained_model);
  nn::check_trainable(from.checkpoint.model, from.folder);
  std::vector<std::string> pieces;
  if (!options.saving.extend_vocab.empty())
    pieces = read_pieces(options.saving.extend_vocab, text_pipeline(options.text));
  const bool classifies = model_type(options.model) == nn::ModelType::classification;
  check_same_vocabularies(from, pieces, vocabularies, classifies);
  const bool other_classes =
      classifies && from.vocabularies.target->checksum() != vocabularies.target->checksum();
  nn::TensorMap model = from.checkpoint.model;
  if (other_classes) std::erase_if(model, [](const auto& tensor) { return is_of_classes(tensor.first); });
  Pretrained begun;
  begun.tensors = init_from(model, store, from.folder);
  std::string classes;
  if (other_classes) classes = begin_classes(from, vocabularies, store, begun.tensors);
  begun.lines = beginning_lines(begun.tensors, from.folder);
  if (other_classes) begun.lines.push_back(classes);
  if (!pieces.empty()) {
    begin_new_rows(model, store, from.vocabularies, pieces);
    begun.lines.push_back(
        fmt::format("vocabulary: {} more, each initialised with the mean of the pieces that it replaces",
                    counted(static_cast<int64_t>(pieces.size()), "piece")));
  }
  for (const std::string& warning : from.warnings) begun.lines.push_back("warning: " + warning);
  return begun;
}

}  // namespace xf::tools
