#include "tools/diff_models.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "nn/safetensors.h"
#include "tools/progress.h"

namespace xf::tools {

namespace {

using Json = nlohmann::ordered_json;

std::string description(const nn::TensorMap& model, const std::string& name) {
  const auto found = model.find(name);
  if (found == model.end()) return "";
  return fmt::format("{} {}", name_of(found->second.dtype()), found->second.shape().to_string());
}

// Of two tensors of one type and shape.
void measure(const Tensor& a, const Tensor& b, TensorDifference& difference) {
  if (a.dtype() != DType::f32) {
    // Whole numbers, as of weights in eight bits: the same or not.
    if (std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.bytes())) != 0)
      difference.largest = difference.relative = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const auto *x = a.data<float>(), *y = b.data<float>();
  double squares = 0, of_a = 0;
  for (int64_t i = 0; i < a.numel(); ++i) {
    const double p = double{x[i]}, q = double{y[i]};
    of_a += p * p;
    if (p == q || (std::isnan(p) && std::isnan(q))) continue;
    const double apart = std::abs(p - q);
    squares += apart * apart;
    if (!std::isnan(difference.largest) && !(apart <= difference.largest)) difference.largest = apart;
  }
  difference.relative = squares == 0 ? 0 : std::sqrt(squares / of_a);
}

bool is_the_same(const TensorDifference& difference, double tolerance) {
  return difference.a == difference.b && difference.largest <= tolerance;
}

// Training's own are left out: they are of a run, not of the model.
bool is_of_model(const std::string& name) {
  constexpr std::array<std::string_view, 2> kOfText = {"tokenizer", "lowercase"};
  if (std::ranges::find(kOfText, name) != kOfText.end()) return true;
  return find_option(Program::train, name)->group == "model";
}

}  // namespace

std::vector<ChangedOption> setting_differences(const nn::Checkpoint& a, const std::string& folder_of_a,
                                               const nn::Checkpoint& b, const std::string& folder_of_b) {
  const auto options = [](const nn::Checkpoint& model, const std::string& folder) {
    return options_from_toml(Program::train, model.config, folder + "/config.toml");
  };
  std::vector<ChangedOption> changes = options(b, folder_of_b).changed_keys(options(a, folder_of_a));
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
  size_t width = 0;
  for (const TensorDifference& tensor : differences.tensors) width = std::max(width, tensor.name.size());
  for (const TensorDifference& tensor : differences.tensors) {
    text += fmt::format("tensor      {:<{}}  ", tensor.name, width);
    if (tensor.a.empty() || tensor.b.empty()) {
      text += fmt::format("only in {}: {}\n", tensor.a.empty() ? "b" : "a", tensor.a + tensor.b);
    } else if (tensor.a != tensor.b) {
      text += fmt::format("{} and {}\n", tensor.a, tensor.b);
    } else {
      text += fmt::format("{}  at most {}, relative {}\n", tensor.a, number(tensor.largest),
                          number(tensor.relative));
    }
  }
  if (!differences.tensors.empty())
    text += fmt::format("{} of {} differ\n", grouped(static_cast<int64_t>(differences.tensors.size())),
                        counted(differences.compared, "tensor"));
  return text;
}

Json as_json(double value) { return std::isfinite(value) ? Json(value) : Json(number(value)); }

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
  return std::filesystem::is_regular_file(path) && !path.ends_with(".npz");
}

nn::TensorMap tensors_in(const std::string& path) {
  return is_safetensors(path) ? nn::read_safetensors(path).tensors : read_stored_model(path).checkpoint.model;
}

ModelDifferences of_tensors(const nn::TensorMap& a, const nn::TensorMap& b, double tolerance) {
  ModelDifferences result{.tensors = tensor_differences(a, b, tolerance)};
  result.compared = static_cast<int64_t>(a.size()) +
                    std::ranges::count_if(b, [&](const auto& entry) { return !a.contains(entry.first); });
  return result;
}

ModelDifferences differences(const std::string& a, const std::string& b, double tolerance) {
  if (!is_safetensors(a) && !is_safetensors(b))
    return differences(read_stored_model(a), read_stored_model(b), tolerance);
  return of_tensors(tensors_in(a), tensors_in(b), tolerance);
}

}  // namespace

std::vector<TensorDifference> tensor_differences(const nn::TensorMap& a, const nn::TensorMap& b,
                                                 double tolerance) {
  std::set<std::string> names;
  for (const nn::TensorMap* model : {&a, &b}) {
    for (const auto& [name, tensor] : *model) names.insert(name);
  }
  std::vector<TensorDifference> found;
  for (const std::string& name : names) {
    TensorDifference difference{name, description(a, name), description(b, name)};
    if (difference.a == difference.b) measure(a.at(name), b.at(name), difference);
    if (!is_the_same(difference, tolerance)) found.push_back(difference);
  }
  return found;
}

ModelDifferences differences(const StoredModel& a, const StoredModel& b, double tolerance) {
  ModelDifferences result = of_tensors(a.checkpoint.model, b.checkpoint.model, tolerance);
  result.settings = setting_differences(a.checkpoint, a.folder, b.checkpoint, b.folder);
  for (const auto& [side, of_a, of_b] :
       {std::tuple("source", a.vocabularies.source, b.vocabularies.source),
        std::tuple("target", a.vocabularies.target, b.vocabularies.target)}) {
    if (std::string sentence = vocabulary_difference(side, *of_a, *of_b); !sentence.empty())
      result.vocabularies.push_back(std::move(sentence));
  }
  return result;
}

int diff_models(const Options& options) {
  options.require("models");
  const auto& models = options.get_strings("models");
  const ModelDifferences result = differences(models.at(0), models.at(1), options.get_float("tolerance"));
  if (!options.get_bool("quiet"))
    fmt::print("{}", options.get_string("format") == "json" ? as_json(result) : as_text(result));
  return result.none() ? 0 : 1;
}

}  // namespace xf::tools
