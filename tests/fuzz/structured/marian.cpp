// A folder of Marian's: model.npz with its options, decoder.yml, a vocabulary as YAML or as a list
// of words.
#include <fmt/format.h>

#include "tests/fuzz/structured/format.h"
#include "tests/fuzz/structured/model_files.h"
#include "tests/fuzz/structured/zip.h"
#include "tools/formats/tensor_names.h"

namespace xf::fuzz {

namespace {

const std::vector<std::string> kPieces = {"</s>", "<unk>", "a", "b", "ab", "c", "d", "e"};

std::string npy(Damage& damage, const std::string& type, const std::vector<uint64_t>& shape,
                const std::string& bytes) {
  std::string header = fmt::format("{{'{}': '{}', 'fortran_order': {}, 'shape': (", damage.text("descr"),
                                   damage.text(type), damage.happens() ? "True" : "False");
  for (const uint64_t extent : shape) {
    const auto shown = static_cast<int64_t>(damage.number(extent));
    for (int left = damage.times(); left > 0; --left) header += fmt::format("{}, ", shown);
  }
  header += "), }";
  header.resize((header.size() + 10) / 64 * 64 + 53, ' ');
  header += '\n';
  std::string file = "\x93NUMPY";
  append(file, static_cast<uint8_t>(damage.number(1)));
  append(file, uint8_t{0});
  append(file, static_cast<uint16_t>(damage.number(header.size())));
  return file + header + bytes;
}

std::string npy_of(Damage& damage, const Tensor& tensor) {
  std::vector<uint64_t> shape;
  for (int i = 0; i < tensor.rank(); ++i) shape.push_back(static_cast<uint64_t>(tensor.dim(i)));
  return npy(damage, "<f4", shape,
             {static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.bytes())});
}

std::string line(Damage& damage, const std::string& name, const std::string& value) {
  std::string text;
  for (int left = damage.times(); left > 0; --left)
    text += fmt::format("{}: {}\n", damage.text(name), damage.text(value));
  return text;
}

std::string number_line(Damage& damage, const std::string& name, uint64_t value) {
  return line(damage, name, std::to_string(static_cast<int64_t>(damage.number(value))));
}

std::string options(Damage& damage, const nn::TransformerConfig& config) {
  std::string yaml = line(damage, "type", "transformer");
  yaml += number_line(damage, "dim-emb", static_cast<uint64_t>(config.dim));
  yaml += number_line(damage, "transformer-heads", static_cast<uint64_t>(config.heads));
  yaml += number_line(damage, "transformer-dim-ffn", static_cast<uint64_t>(config.feed_forward));
  yaml += number_line(damage, "enc-depth", static_cast<uint64_t>(config.encoder_layers));
  yaml += number_line(damage, "dec-depth", static_cast<uint64_t>(config.decoder_layers));
  yaml += number_line(damage, "max-length", static_cast<uint64_t>(config.max_length));
  yaml += line(damage, "transformer-preprocess", "\"\"");
  yaml += line(damage, "transformer-postprocess", "dan");
  yaml += line(damage, "transformer-ffn-activation", "relu");
  yaml += line(damage, "transformer-tied-layers", "[]");
  if (damage.happens()) yaml += "a: &a [" + std::string(100000, 'x') + "]\nb: [*a, *a]\nc: *a\n";
  if (damage.happens()) yaml += "deep: " + std::string(100000, damage.below(2) == 0 ? '[' : '{') + "\n";
  return yaml;
}

std::string decoder(Damage& damage, const std::string& vocabulary) {
  std::string yaml = "vocabs:\n";
  for (int i = 0; i < 2; ++i) yaml += "  - " + damage.text(vocabulary) + "\n";
  yaml += number_line(damage, "beam-size", 4);
  return yaml + line(damage, "normalize", fmt::format("{}", damage.real(0.6)));
}

std::string vocabulary_yaml(Damage& damage) {
  std::string yaml;
  for (size_t id = 0; id < kPieces.size(); ++id) yaml += number_line(damage, kPieces[id], id);
  return yaml;
}

std::string vocabulary_words(Damage& damage) {
  std::string text;
  for (const std::string& piece : kPieces) {
    for (int left = damage.times(); left > 0; --left) text += damage.text(piece) + "\n";
  }
  return text;
}

}  // namespace

void make_marian(Damage& damage, const std::string& folder) {
  const auto pieces = static_cast<int64_t>(kPieces.size());
  nn::TransformerConfig config = small_config(pieces + 1);
  std::vector<ZipFile> files;
  for (auto [name, tensor] :
       tools::exchange::split(small_model(config), tools::exchange::marian_parts(config))) {
    // The piece that translations begin with is none of Marian's.
    if (name == tools::exchange::kMarianShared || name == tools::exchange::kMarianBias)
      tensor = tensor.slice_rows(0, pieces);
    files.push_back({name + ".npy", npy_of(damage, tensor)});
  }
  const std::string yaml = options(damage, config) + '\0';
  files.push_back({"special:model.yml.npy", npy(damage, "|i1", {yaml.size()}, yaml)});
  const bool is_list = damage.below(2) == 0;
  const Packing packing = damage.below(2) == 0 ? Packing::stored : Packing::deflated;
  put(damage, folder, "model.npz", zip(damage, files, packing));
  put(damage, folder, "decoder.yml", decoder(damage, is_list ? "words.txt" : "vocab.yml"));
  put(damage, folder, is_list ? "words.txt" : "vocab.yml",
      is_list ? vocabulary_words(damage) : vocabulary_yaml(damage));
}

}  // namespace xf::fuzz
