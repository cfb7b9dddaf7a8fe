#include "tests/fuzz/structured/model_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "nn/transformer.h"

namespace xf::fuzz {

namespace fs = std::filesystem;

nn::TransformerConfig small_config(int64_t pieces) {
  nn::TransformerConfig config;
  config.dim = config.feed_forward = 4;
  config.heads = 2;
  config.encoder_layers = config.decoder_layers = 1;
  config.max_length = 64;
  config.norm = nn::NormPlacement::post;
  config.positions = kernels::PositionLayout::marian;
  config.tying = nn::Tying::all;
  config.source_vocabulary = config.target_vocabulary = pieces;
  return config;
}

nn::TensorMap small_model(const nn::TransformerConfig& config) {
  nn::ParameterStore store;
  const nn::Transformer model(config, store);
  store.allocate(Device::cpu(), nn::ParameterStore::Gradients::no);
  store.initialise(1);
  return nn::model_of(store);
}

void put(Damage& damage, const std::string& folder, const std::string& name, const std::string& bytes) {
  const std::string path = folder + "/" + name;
  const auto write = [&](const std::string& content) { std::ofstream(path, std::ios::binary) << content; };
  const bool is_other = damage.happens(), is_cut = damage.happens();
  if (is_cut) return write(bytes.substr(0, damage.below(bytes.size() + 1)));
  if (!is_other) return write(bytes);
  switch (damage.below(8)) {
    case 0: return;
    case 1: fs::create_directory(path); return;
    case 2: ::mkfifo(path.c_str(), 0600); return;
    case 3: fs::create_symlink(name, path); return;
    case 4: fs::create_symlink("/dev/zero", path); return;
    case 5: fs::create_symlink("nowhere", path); return;
    case 6: return write("");
    default: return write(std::string(1000, static_cast<char>(damage.below(256))));
  }
}

std::string json_number(Damage& damage, int64_t honest) {
  if (damage.happens()) {
    const char* const others[] = {"1e400", "-0.0", "1.5",   "1e18", "18446744073709551616",
                                  "null",  "true", "\"1\"", "[1]",  "{}",
                                  "-1",    ""};
    return others[damage.below(std::size(others))];
  }
  return std::to_string(static_cast<int64_t>(damage.number(static_cast<uint64_t>(honest))));
}

std::string json_text(Damage& damage, const std::string& honest) {
  const std::string text = damage.text(honest);
  if (damage.happens()) return damage.below(2) == 0 ? "7" : text;
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_object(Damage& damage, const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string json = "{";
  for (const auto& [name, value] : entries) {
    for (int left = damage.times(); left > 0; --left) {
      json += (json.size() == 1 ? "" : ", ") + json_text(damage, name) + ": ";
      const size_t depth = damage.happens() ? size_t{1} << damage.below(20) : 0;
      json += std::string(depth, '[') + value + std::string(depth, ']');
    }
  }
  return json + "}";
}

std::string json_pieces(Damage& damage, const std::vector<std::string>& pieces) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (size_t id = 0; id < pieces.size(); ++id)
    entries.emplace_back(pieces[id], json_number(damage, static_cast<int64_t>(id)));
  return json_object(damage, entries);
}

}  // namespace xf::fuzz
