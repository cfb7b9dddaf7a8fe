// A checkpoint of ours, whose sums are right: whoever changes a configuration can count them anew.
#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "nn/checkpoint/checkpoint.h"
#include "tests/fuzz/structured/format.h"
#include "tests/fuzz/structured/model_files.h"
#include "tools/config/training_options.h"
#include "tools/setup/read_training_options.h"

namespace xf::fuzz {

namespace {

const std::vector<std::string> kPieces = {"<unk>", "<pad>", "<s>", "</s>", "a", "b", "c", "d"};

tools::TrainingOptions training_options(const nn::TransformerConfig& config) {
  const std::string toml = fmt::format(R"(
task = "demo"
tokenizer = "whitespace"
dim-emb = {}
transformer-heads = {}
transformer-dim-ffn = {}
enc-depth = {}
dec-depth = {}
max-length = {}
norm = "post"
tied-embeddings-all = true
)",
                                       config.dim, config.heads, config.feed_forward, config.encoder_layers,
                                       config.decoder_layers, config.max_length - 1);
  return tools::training_options_from_toml(toml, "a test");
}

// TOML whose keys and values are damaged, a line at a time.
std::string damaged(Damage& damage, const std::string& toml) {
  std::string result;
  std::istringstream lines(toml);
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    for (int left = damage.times(); left > 0; --left) {
      const std::string value = damage.text(line.substr(equals + 3));
      result += damage.text(line.substr(0, equals)) + " = " +
                (damage.happens() ? json_number(damage, 3) : value) + "\n";
    }
  }
  if (damage.happens()) result += "after = " + std::string(size_t{1} << damage.below(20), '[') + "\n";
  return result;
}

}  // namespace

void make_run(Damage& damage, const std::string& folder) {
  const nn::TransformerConfig config = small_config(static_cast<int64_t>(kPieces.size()));
  nn::Checkpoint checkpoint;
  checkpoint.update = static_cast<int64_t>(damage.number(1));
  checkpoint.model = small_model(config);
  if (damage.happens()) checkpoint.model.erase(checkpoint.model.begin());
  const tools::TrainingOptions options = training_options(config);
  checkpoint.model_config = damaged(damage, to_toml(options));
  checkpoint.training_config = damaged(damage, options_of(options).to_toml());
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
