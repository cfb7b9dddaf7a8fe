#include "tools/formats/diff_models.h"
#include "tools/config/command_line.h"
#include "tools/config/program_options.h"
#include "tools/formats/stored_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/stored_file.h"
#include "data/display_text.h"
#include "nn/checkpoint/safetensors.h"
#include "tools/console/message.h"
#include "tools/console/progress.h"
#include "tools/formats/tensor_distance.h"

namespace xf::tools {

namespace {

using Json = nlohmann::ordered_json;

// A tensor as it is stored; another owns its bytes.
struct StoredView {
  std::string type;  // as safetensors calls it
  std::vector<int64_t> shape;
  std::string_view in_memory;
  const StoredFile* file = nullptr;  // or in a file, from `begin` on
  int64_t begin = 0, size = 0;

  // `room` is for those of a file.
  std::string_view bytes(std::string& room) const {
    if (!file) return in_memory;
    room = file->bytes(begin, size);
    return room;
  }
};
using StoredViews = std::map<std::string, StoredView>;

StoredViews views_of(const nn::TensorMap& tensors) {
  StoredViews views;
  for (const auto& [name, tensor] : tensors) {
    StoredView& view = views[name];
    view.type = nn::stored_type(tensor.dtype());
    for (int i = 0; i < tensor.rank(); ++i) view.shape.push_back(tensor.dim(i));
    view.in_memory = {static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.bytes())};
  }
  return views;
}

StoredViews views_of(const StoredFile& file) {
  const nn::SafetensorsHeader header = nn::read_safetensors_header(file);
  StoredViews views;
  for (const nn::StoredTensor& tensor : header.tensors)
    views[tensor.name] = {.type = tensor.dtype,
                          .shape = tensor.shape,
                          .in_memory = {},
                          .file = &file,
                          .begin = static_cast<int64_t>(header.data_begin + tensor.begin),
                          .size = static_cast<int64_t>(tensor.end - tensor.begin)};
  return views;
}

std::string description(const StoredViews& model, const std::string& name) {
  const auto found = model.find(name);
  if (found == model.end()) return "";
  std::string text = fmt::format("{} [{}]", found->second.type, fmt::join(found->second.shape, ", "));
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; });
  return text;
}

bool is_the_same(const TensorDifference& difference, double tolerance) {
  return difference.largest && *difference.largest <= tolerance;
}

// Training's own are left out: they are of a run, not of the model.
bool is_of_model(const std::string& name) {
  constexpr std::array<std::string_view, 2> kOfText = {"tokenizer", "lowercase"};
  if (std::ranges::find(kOfText, name) != kOfText.end()) return true;
  return default_options("xformer-train").at(name).group == "model";
}

}  // namespace

std::vector<ChangedOption> setting_differences(const nn::Checkpoint& a, const std::string& folder_of_a,
                                               const nn::Checkpoint& b, const std::string& folder_of_b) {
  const auto options = [](const nn::Checkpoint& model, const std::string& folder) {
    return training_of(model, folder);
  };
  const TrainingOptions before = options(a, folder_of_a), now = options(b, folder_of_b);
  std::vector<ChangedOption> changes = changed_options(options_of(before), options_of(now));
  std::erase_if(changes, [](const ChangedOption& change) { return !is_of_model(change.name); });
  return changes;
}

namespace {

// "" where they are the same.
std::string vocabulary_difference(const char* side, const data::Tokenizer& a, const data::Tokenizer& b) {
  if (a.checksum() == b.checksum()) return "";
  const int32_t both = std::min(a.size(), b.size());
  for (int32_t id = 0; id < both; ++id) {
    if (a.piece(id) != b.piece(id))
      return fmt::format("{}: {} and {} pieces; the first that differs is {}, '{}' and '{}'", side, a.size(),
                         b.size(), id, a.piece(id), b.piece(id));
  }
  if (a.size() != b.size())
    return fmt::format("{}: {} and {} pieces, the first {} the same", side, a.size(), b.size(), both);
  return fmt::format("{}: the same {} pieces, cut by other rules or scores", side, both);
}

std::string number(double value) {
  return std::isnan(value) ? std::string("nan") : fmt::format("{:.3g}", value);
}

std::string as_text(const ModelDifferences& differences) {
  std::string text;
  for (const auto& [name, before, now] : differences.settings)
    text += fmt::format("setting     {}: {} and {}\n", name, before.empty() ? "unset" : before,
                        now.empty() ? "unset" : now);
  for (const std::string& sentence : differences.vocabularies) text += "vocabulary  " + sentence + "\n";
  int width = 0;
  for (const TensorDifference& tensor : differences.tensors)
    width = std::max(width, data::display_width(data::printable(tensor.name)));
  for (const TensorDifference& tensor : differences.tensors) {
    text += fmt::format("tensor      {:<{}}  ", data::printable(tensor.name), width);
    if (tensor.a.empty() || tensor.b.empty()) {
      text += fmt::format("only in {}: {}\n", tensor.a.empty() ? "b" : "a", tensor.a + tensor.b);
    } else if (tensor.a != tensor.b) {
      text += fmt::format("{} and {}\n", tensor.a, tensor.b);
    } else {
      text += fmt::format("{}  at most {}, relative {}\n", tensor.a, number(*tensor.largest),
                          number(*tensor.relative));
    }
  }
  if (!differences.tensors.empty())
    text += fmt::format("{} of {} differ\n", grouped(static_cast<int64_t>(differences.tensors.size())),
                        counted(differences.compared, "tensor"));
  return text;
}

Json as_json(std::optional<double> value) {
  if (!value) return nullptr;
  return std::isfinite(*value) ? Json(*value) : Json(number(*value));
}

std::string as_json(const ModelDifferences& differences) {
  Json json = {{"same", differences.none()},
               {"tensors_compared", differences.compared},
               {"tensors", Json::array()},
               {"settings", Json::array()},
               {"vocabularies", differences.vocabularies}};
  for (const TensorDifference& tensor : differences.tensors)
    json["tensors"].push_back({{"name", tensor.name},
                               {"a", tensor.a},
                               {"b", tensor.b},
                               {"largest", as_json(tensor.largest)},
                               {"relative", as_json(tensor.relative)}});
  for (const auto& [name, before, now] : differences.settings)
    json["settings"].push_back({{"name", name}, {"a", before}, {"b", now}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool is_safetensors(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(path, unknown) && !path.ends_with(".npz");
}

std::vector<TensorDifference> tensor_differences(const StoredViews& a, const StoredViews& b,
                                                 double tolerance) {
  std::set<std::string> names;
  for (const StoredViews* model : {&a, &b}) {
    for (const auto& [name, view] : *model) names.insert(name);
  }
  std::vector<TensorDifference> found;
  for (const std::string& name : names) {
    TensorDifference difference{name, description(a, name), description(b, name)};
    if (difference.a == difference.b) {
      std::string room_of_a, room_of_b;
      const TensorDistance distance =
          tensor_distance(a.at(name).type, a.at(name).bytes(room_of_a), b.at(name).bytes(room_of_b));
      difference.largest = distance.largest, difference.relative = distance.relative;
    }
    if (!is_the_same(difference, tolerance)) found.push_back(difference);
  }
  return found;
}

ModelDifferences of_tensors(const StoredViews& a, const StoredViews& b, double tolerance) {
  ModelDifferences result{.tensors = tensor_differences(a, b, tolerance)};
  result.compared = static_cast<int64_t>(a.size()) +
                    std::ranges::count_if(b, [&](const auto& entry) { return !a.contains(entry.first); });
  return result;
}

// The tensors of a file or a model.
class Tensors {
 public:
  explicit Tensors(const std::string& path) {
    if (is_safetensors(path)) {
      file_.emplace(path);
      views_ = views_of(*file_);
    } else {
      tensors_ = read_stored_model(path).checkpoint.model;
      views_ = views_of(tensors_);
    }
  }
  const StoredViews& views() const { return views_; }

 private:
  std::optional<StoredFile> file_;
  nn::TensorMap tensors_;
  StoredViews views_;
};

ModelDifferences differences(const std::string& a, const std::string& b, double tolerance) {
  if (!is_safetensors(a) && !is_safetensors(b))
    return differences(read_stored_model(a), read_stored_model(b), tolerance);
  return of_tensors(Tensors(a).views(), Tensors(b).views(), tolerance);
}

}  // namespace

std::vector<TensorDifference> tensor_differences(const nn::TensorMap& a, const nn::TensorMap& b,
                                                 double tolerance) {
  return tensor_differences(views_of(a), views_of(b), tolerance);
}

ModelDifferences differences(const StoredModel& a, const StoredModel& b, double tolerance) {
  ModelDifferences result = of_tensors(views_of(a.checkpoint.model), views_of(b.checkpoint.model), tolerance);
  result.settings = setting_differences(a.checkpoint, a.folder, b.checkpoint, b.folder);
  for (const auto& [side, of_a, of_b] :
       {std::tuple("source", a.vocabularies.source, b.vocabularies.source),
        std::tuple("target", a.vocabularies.target, b.vocabularies.target)}) {
    if (std::string sentence = vocabulary_difference(side, *of_a, *of_b); !sentence.empty())
      result.vocabularies.push_back(std::move(sentence));
  }
  return result;
}

int diff_models(const DiffOptions& options) {
  options_of(options).require("models");
  const auto& models = options.models;
  const ModelDifferences result = differences(models.at(0), models.at(1), options.tolerance);
  if (!options.quiet) print_page(options.format == "json" ? as_json(result) : as_text(result));
  return result.none() ? 0 : 1;
}

}  // namespace xf::tools
