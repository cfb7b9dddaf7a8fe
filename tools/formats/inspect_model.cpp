#include "tools/formats/inspect_model.h"
#include "tools/config/program_options.h"
#include "tools/formats/stored_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "core/error.h"
#include "core/stored_file.h"
#include "data/display_text.h"
#include "data/vocabularies.h"
#include "nn/checkpoint/run_folder.h"
#include "tools/config/config_file.h"
#include "tools/console/message.h"
#include "tools/console/progress.h"
#include "tools/formats/import_model.h"
#include "tools/formats/print_model.h"

namespace xf::tools {

namespace {

using Json = nlohmann::ordered_json;
using nn::StoredTensor;

// The tensors' parameters, in their order. The scales of weights in eight bits say how these are
// stored, and are none.
std::vector<int64_t> parameters_of(const std::vector<StoredTensor>& tensors) {
  std::set<std::string> scales;
  for (const StoredTensor& tensor : tensors) {
    if (tensor.dtype == "I8") scales.insert(tensor.name + nn::kScaleSuffix);
  }
  std::vector<int64_t> counts;
  for (const StoredTensor& tensor : tensors) {
    int64_t count = scales.contains(tensor.name) ? 0 : 1;
    for (const int64_t extent : tensor.shape) count *= extent;
    counts.push_back(count);
  }
  return counts;
}

struct Block {
  std::string name;
  std::vector<size_t> tensors;  // their places in the header
};

// In the order of their first tensors.
std::vector<Block> blocks_of(const InspectedModel& model) {
  std::vector<Block> blocks;
  std::map<std::string, size_t> place_of;
  for (size_t i = 0; i < model.header.tensors.size(); ++i) {
    const std::string name = block_of(model.header.tensors[i].name);
    const auto [place, is_new] = place_of.emplace(name, blocks.size());
    if (is_new) blocks.push_back({name, {}});
    blocks[place->second].tensors.push_back(i);
  }
  return blocks;
}

int64_t sum_of(const std::vector<int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}
int64_t sum_of(const std::vector<int64_t>& counts, const Block& block) {
  int64_t sum = 0;
  for (const size_t i : block.tensors) sum += counts[i];
  return sum;
}

std::vector<InspectedModel::Vocabulary> read_vocabularies(const std::string& folder,
                                                          const nn::Metadata& metadata) {
  const std::string home = data::find_vocabularies(folder);
  if (home.empty()) return {};
  const data::Vocabularies vocabularies = data::load_vocabularies(home);
  check_vocabularies(vocabularies, metadata, folder);
  std::vector<InspectedModel::Vocabulary> found;
  for (const std::string& path : data::vocabulary_files(home)) {
    const data::Tokenizer& tokenizer = found.empty() ? *vocabularies.source : *vocabularies.target;
    found.push_back({path, tokenizer.hash(), tokenizer.checksum(), tokenizer.size()});
  }
  return found;
}

InspectedModel::Training training_of(const nn::Checkpoint& checkpoint) {
  InspectedModel::Training training{
      checkpoint.update,
      {},
      checkpoint.training_config.empty() ? checkpoint.model_config : checkpoint.training_config};
  if (checkpoint.state.has("averaged"))
    training.averaged = checkpoint.state.get<std::vector<int64_t>>("averaged");
  return training;
}

std::string entry(const std::string& name, const std::string& value) {
  return fmt::format("{:<12} {}\n", name, data::printable(value));
}

// The length of the header in eight bytes, and the header, which is a JSON object.
bool begins_as_safetensors(const StoredFile& file) {
  constexpr int64_t kLongest = 4096;  // with white space in front
  const std::string bytes = file.bytes(0, std::min(file.size(), kLongest));
  if (bytes.size() <= 8) return false;
  const size_t first = bytes.find_first_not_of(" \t\n\r", 8);
  return first == std::string::npos ? file.size() > kLongest : bytes[first] == '{';
}

std::string tensors_as_text(const InspectedModel& model) {
  int width = 0;
  for (const StoredTensor& tensor : model.header.tensors)
    width = std::max(width, data::display_width(data::printable(tensor.name)));
  const auto row = [&](const std::string& name, const std::string& dtype, const std::string& shape,
                       int64_t count) {
    return fmt::format("{:<{}}  {:<4}  {:<14} {:>13}\n", name, width + 2, dtype, shape, grouped(count));
  };
  const std::vector<int64_t> counts = parameters_of(model.header.tensors);
  std::string text;
  for (const Block& block : blocks_of(model)) {
    text += row(data::printable(block.name), "", "", sum_of(counts, block));
    for (const size_t i : block.tensors) {
      const StoredTensor& tensor = model.header.tensors[i];
      text += row("  " + data::printable(tensor.name), tensor.dtype,
                  fmt::format("[{}]", fmt::join(tensor.shape, ", ")), counts[i]);
    }
  }
  return text + row("total", "", "", sum_of(counts));
}

}  // namespace

InspectedModel inspected(const std::string& path) {
  InspectedModel model;
  model.path = path;
  exchange::refuse_foreign(path);
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) {
    const std::string folder = nn::find_model_folder(path);
    const nn::Checkpoint checkpoint = nn::read_model(folder);  // whole, by its checksums
    model.path = folder + "/model.safetensors";
    model.training = training_of(checkpoint);
    model.vocabularies = read_vocabularies(folder, checkpoint.metadata);
  }
  const StoredFile file(model.path);
  if (!begins_as_safetensors(file))
    fail(ErrorKind::data, "{} is not a safetensors file; name one, a run folder or a checkpoint", model.path);
  model.checksum = file.checksum();
  model.header = nn::read_safetensors_header(file);
  return model;
}

std::string to_text(const InspectedModel& model) {
  std::string text = entry("file", model.path);
  text += entry("bytes", grouped(model.checksum.bytes()));
  text += entry("crc64", model.checksum.hexadecimal());
  text += entry("tensors", grouped(static_cast<int64_t>(model.header.tensors.size())));
  text += entry("parameters", grouped(sum_of(parameters_of(model.header.tensors))));
  if (model.training) {
    text += entry("update", grouped(model.training->update));
    if (!model.training->averaged.empty())
      text += entry("averaged", fmt::format("updates {}", fmt::join(model.training->averaged, ", ")));
  }
  for (const auto& [path, hash, checksum, entries] : model.vocabularies) {
    text += entry("vocabulary",
                  fmt::format("{}: {} entries, hash {}, crc64 {}", path, grouped(entries), hash, checksum));
  }
  for (const auto& [key, value] : model.header.metadata) text += entry("metadata", key + " = " + value);
  text += "\n" + tensors_as_text(model);
  if (model.training) text += "\n" + model.training->config;
  return text;
}

std::string to_json(const InspectedModel& model) {
  const std::vector<int64_t> counts = parameters_of(model.header.tensors);
  Json json = {{"file", model.path},
               {"bytes", model.checksum.bytes()},
               {"crc64", model.checksum.hexadecimal()},
               {"parameters", sum_of(counts)}};
  if (model.training) {
    json["update"] = model.training->update;
    if (!model.training->averaged.empty()) json["averaged"] = model.training->averaged;
    json["config"] = Json::parse(config_as_json(model.training->config, model.path));
  }
  json["vocabularies"] = Json::array();
  for (const auto& [path, hash, checksum, entries] : model.vocabularies)
    json["vocabularies"].push_back(
        {{"file", path}, {"entries", entries}, {"hash", hash}, {"crc64", checksum}});
  json["metadata"] = model.header.metadata;
  Json::object_t blocks;  // each name once, so that none need be looked for
  for (const Block& block : blocks_of(model)) blocks.emplace_back(block.name, sum_of(counts, block));
  json["blocks"] = std::move(blocks);
  json["tensors"] = Json::array();
  for (size_t i = 0; i < counts.size(); ++i) {
    const StoredTensor& tensor = model.header.tensors[i];
    json["tensors"].push_back(
        {{"name", tensor.name}, {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"parameters", counts[i]}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";  // a path may be no UTF-8
}

void inspect_model(const InspectOptions& options) {
  options_of(options).require("model");
  const InspectedModel model = inspected(options.model);
  print_page(options.format == "json" ? to_json(model) : to_text(model));
}

}  // namespace xf::tools
