// A folder of CTranslate2's: model.bin, config.json and a list of pieces that both sides share.
#include "tests/fuzz/structured/format.h"
#include "tests/fuzz/structured/model_files.h"
#include "tools/formats/tensor_names.h"

namespace xf::fuzz {

namespace {

const std::vector<std::string> kPieces = {"<unk>", "<s>", "</s>", "a", "b", "ab", "c", "d"};

void append_string(Damage& damage, std::string& file, const std::string& honest) {
  const std::string text = damage.text(honest);
  append(file, static_cast<uint16_t>(damage.number(text.size() + 1)));
  file.append(text.c_str(), text.size() + 1);
}

class Writer {
 public:
  explicit Writer(Damage& damage) : damage_(damage) {}

  void add(const std::string& name, const std::vector<uint64_t>& shape, uint8_t type,
           const std::string& bytes) {
    for (int left = damage_.times(); left > 0; --left) {
      append_string(damage_, variables_, name);
      append(variables_, static_cast<uint8_t>(damage_.number(shape.size())));
      for (const uint64_t extent : shape) append(variables_, static_cast<uint32_t>(damage_.number(extent)));
      append(variables_, static_cast<uint8_t>(damage_.number(type)));
      append(variables_, static_cast<uint32_t>(damage_.number(bytes.size())));
      variables_ += bytes;
      ++count_;
    }
  }
  void add(const std::string& name, const Tensor& tensor) {
    std::vector<uint64_t> shape;
    for (int i = 0; i < tensor.rank(); ++i) shape.push_back(static_cast<uint64_t>(tensor.dim(i)));
    add(name, shape, 0, {static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.bytes())});
  }
  void add_flag(const std::string& name, uint64_t value) {
    add(name, {}, 1, std::string(1, static_cast<char>(damage_.number(value))));
  }
  void add_layers(uint64_t count) {
    for (uint64_t i = 1; i <= count; ++i)
      add("encoder/layer_" + std::to_string(i) + "/self_attention/linear_0/weight", {0}, 0, "");
  }
  std::string take() {
    std::string file;
    append(file, static_cast<uint32_t>(damage_.number(6)));
    append_string(damage_, file, "TransformerSpec");
    append(file, static_cast<uint32_t>(damage_.number(7)));
    append(file, static_cast<uint32_t>(damage_.number(count_)));
    file += variables_;
    const int aliases = damage_.times();
    append(file, static_cast<uint32_t>(damage_.number(static_cast<uint64_t>(2 * aliases))));
    for (int left = aliases; left > 0; --left) {
      for (const char* name : {tools::exchange::kCTranslate2Output, tools::exchange::kCTranslate2Source}) {
        append_string(damage_, file, name);
        append_string(damage_, file, tools::exchange::kCTranslate2Target);
      }
    }
    return file;
  }

 private:
  Damage& damage_;
  std::string variables_;
  uint32_t count_ = 0;
};

std::string pieces_as_list(Damage& damage) {
  std::string json = "[";
  for (const std::string& piece : kPieces) {
    for (int left = damage.times(); left > 0; --left)
      json += (json.size() == 1 ? "" : ", ") + json_text(damage, piece);
  }
  return json + "]";
}

}  // namespace

void make_ctranslate2(Damage& damage, const std::string& folder) {
  const nn::TransformerConfig config = small_config(static_cast<int64_t>(kPieces.size()));
  Writer writer(damage);
  for (const auto& [name, tensor] :
       tools::exchange::split(small_model(config), tools::exchange::ctranslate2_parts(config)))
    writer.add(name, tensor);
  for (const std::string side : {"encoder", "decoder"}) {
    writer.add_flag(side + "/num_heads", static_cast<uint64_t>(config.heads));
    writer.add_flag(side + "/pre_norm", 0);
    writer.add_flag(side + "/activation", 0);
    writer.add_flag(side + "/scale_embeddings", 1);
  }
  writer.add_flag("decoder/start_from_zero_embedding", 0);
  if (damage.happens()) writer.add_layers(damage.below(2) == 0 ? 8000 : 900);
  put(damage, folder, "model.bin", writer.take());
  put(damage, folder, "config.json",
      json_object(damage, {{"unk_token", json_text(damage, "<unk>")},
                           {"bos_token", json_text(damage, "<s>")},
                           {"eos_token", json_text(damage, "</s>")},
                           {"decoder_start_token", json_text(damage, "<s>")},
                           {"layer_norm_epsilon", "null"},
                           {"add_source_eos", "true"}}));
  put(damage, folder, "shared_vocabulary.json", pieces_as_list(damage));
}

}  // namespace xf::fuzz
