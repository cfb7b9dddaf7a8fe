// A checkpoint of ours, whose sums are right: whoever changes a configuration can count them anew.
#include <fmt/format.h>

#include <filesystem>

#include "nn/checkpoint/checkpoint.h"
#include "tests/fuzz/structured/format.h"
#include "tests/fuzz/structured/model_files.h"

namespace xf::fuzz {

namespace {

const std::vector<std::string> kPieces = {"<unk>", "<pad>", "<s>", "</s>", "a", "b", "c", "d"};

std::string configuration(Damage& damage, const nn::TransformerConfig& config) {
  std::string toml = "task = \"demo\"\ntokenizer = \"whitespace\"\n";
  const auto set = [&](const char* key, int64_t value) {
    for (int left = damage.times(); left > 0; --left)
      toml += fmt::format("{} = {}\n", damage.text(key), json_number(damage, value));
  };
  set("dim-emb", config.dim);
  set("transformer-heads", config.heads);
  set("transformer-dim-ffn", config.feed_forward);
  set("enc-depth", config.encoder_layers);
  set("dec-depth", config.decoder_layers);
  set("max-length", config.max_length - 1);
  toml += "norm = " + json_text(damage, "post") + "\n";
  toml += "tied-embeddings-all = true\n";
  if (damage.happens()) toml += "after = " + std::string(size_t{1} << damage.below(20), '[') + "\n";
  return toml;
}

}  // namespace

void make_run(Damage& damage, const std::string& folder) {
  const nn::TransformerConfig config = small_config(static_cast<int64_t>(kPieces.size()));
  nn::Checkpoint checkpoint;
  checkpoint.update = static_cast<int64_t>(damage.number(1));
  checkpoint.model = small_model(config);
  if (damage.happens()) checkpoint.model.erase(checkpoint.model.begin());
  checkpoint.model_config = checkpoint.training_config = configuration(damage, config);
  nn::write_checkpoint(folder + "/averaged", checkpoint);
  for (const char* name : {"averaged/state.json", "averaged/model.toml", "averaged/training.toml"}) {
    if (!damage.happens()) continue;
    std::filesystem::remove(folder + "/" + name);
    put(damage, folder, name, "{\"content\": {}, \"crc64\": \"\"}");
  }
  std::string words = "#words " + damage.text("whitespace") + "\n";
  for (const std::string& piece : kPieces) words += damage.text(piece) + "\n";
  put(damage, folder, "vocab.txt", words);
}

}  // namespace xf::fuzz
