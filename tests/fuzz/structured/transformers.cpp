// A folder of Hugging Face's transformers: settings, lists and models of pieces, weights in one of
// three forms.
#include <fmt/format.h>

#include "tests/fuzz/structured/format.h"
#include "tests/fuzz/structured/model_files.h"
#include "tests/fuzz/structured/zip.h"
#include "tools/formats/tensor_names.h"

namespace xf::fuzz {

namespace {

const std::vector<std::string> kPieces = {"</s>", "<unk>", "\u2581", "a", "b", "<pad>", "c", "d"};

// {"NAME": {"dtype": "F32", "shape": [...], "data_offsets": [begin, end]}} and the data.
std::string safetensors(Damage& damage, const nn::TensorMap& tensors) {
  std::vector<std::pair<std::string, std::string>> entries = {{"__metadata__", "{\"format\": \"pt\"}"}};
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    std::string shape;
    for (int i = 0; i < tensor.rank(); ++i)
      shape += (i == 0 ? "" : ", ") + json_number(damage, tensor.dim(i));
    const auto begin = static_cast<int64_t>(data.size());
    data.append(static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.bytes()));
    entries.emplace_back(
        name, json_object(damage, {{"dtype", json_text(damage, "F32")},
                                   {"shape", "[" + shape + "]"},
                                   {"data_offsets", fmt::format("[{}, {}]", json_number(damage, begin),
                                                                json_number(damage, std::ssize(data)))}}));
  }
  const std::string header = json_object(damage, entries);
  std::string file;
  append(file, damage.number(header.size()));
  return file + header + data;
}

// A pickle of protocol 2, as torch.save() writes it.
class Pickle {
 public:
  explicit Pickle(Damage& damage) : damage_(damage) { bytes_ = "\x80\x02"; }

  Pickle& op(const std::string& instruction) {
    for (int left = damage_.times(); left > 0; --left) bytes_ += damage_.text(instruction);
    return *this;
  }
  Pickle& text(const std::string& honest) {
    const std::string value = damage_.text(honest);
    bytes_ += 'X';
    append(bytes_, static_cast<uint32_t>(damage_.number(value.size())));
    bytes_ += value;
    return *this;
  }
  Pickle& integer(uint64_t honest) {
    const uint64_t value = damage_.number(honest);
    bytes_ += '\x8a';
    append(bytes_, static_cast<uint8_t>(damage_.number(8)));
    append(bytes_, value);
    return *this;
  }
  Pickle& global(const std::string& module, const std::string& name) {
    bytes_ += "c" + damage_.text(module) + "\n" + damage_.text(name) + "\n";
    return *this;
  }
  Pickle& put(uint64_t place) {
    bytes_ += 'q';
    append(bytes_, static_cast<uint8_t>(damage_.number(place)));
    return *this;
  }
  Pickle& repeat(const std::string& instruction, size_t times) {
    for (size_t i = 0; i < times; ++i) bytes_ += instruction;
    return *this;
  }
  std::string take() { return bytes_ + "."; }

 private:
  Damage& damage_;
  std::string bytes_;
};

void add_tensor(Pickle& pickle, const std::string& name, const std::string& key, const Tensor& tensor) {
  pickle.text(name).global("torch._utils", "_rebuild_tensor_v2").op("(").op("(");
  pickle.text("storage").global("torch", "FloatStorage").text(key).text("cpu");
  pickle.integer(static_cast<uint64_t>(tensor.numel())).op("t").op("Q").integer(0).op("(");
  for (int i = 0; i < tensor.rank(); ++i) pickle.integer(static_cast<uint64_t>(tensor.dim(i)));
  pickle.op("t").op("(");
  uint64_t stride = static_cast<uint64_t>(tensor.numel());
  for (int i = 0; i < tensor.rank(); ++i) {
    stride /= static_cast<uint64_t>(tensor.dim(i));
    pickle.integer(stride);
  }
  pickle.op("t").op("\x89").op("}").op("t").op("R");
}

std::string dictionary(Damage& damage, const nn::TensorMap& tensors) {
  Pickle pickle(damage);
  pickle.op("}").put(0).op("(");
  if (damage.happens()) {
    const char* kInstructions[] = {"]", "(", "h\0", "]q\x01h\x01", "(t", "N", ")\x94"};
    pickle.repeat(kInstructions[damage.below(std::size(kInstructions))], size_t{1} << damage.below(24));
  }
  size_t key = 0;
  for (const auto& [name, tensor] : tensors) add_tensor(pickle, name, std::to_string(key++), tensor);
  return pickle.op("u").take();
}

std::string bytes_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.bytes())};
}

std::string archive(Damage& damage, const nn::TensorMap& tensors) {
  std::vector<ZipFile> files = {{"archive/data.pkl", dictionary(damage, tensors)},
                                {"archive/byteorder", "little"}};
  size_t key = 0;
  for (const auto& [name, tensor] : tensors)
    files.push_back({"archive/data/" + std::to_string(key++), bytes_of(tensor)});
  const Packing packing = damage.below(2) == 0 ? Packing::stored : Packing::deflated;
  return zip(damage, files, packing);
}

std::string older_file(Damage& damage, const nn::TensorMap& tensors) {
  std::string file;
  for (int i = 0; i < 3; ++i) file += Pickle(damage).integer(1001).take();
  file += dictionary(damage, tensors);
  Pickle keys(damage);
  keys.op("]").op("(");
  for (size_t key = 0; key < tensors.size(); ++key) keys.text(std::to_string(key));
  file += keys.op("e").take();
  for (const auto& [name, tensor] : tensors) {
    append(file, damage.number(static_cast<uint64_t>(tensor.numel())));
    file += bytes_of(tensor);
  }
  return file;
}

std::string settings(Damage& damage, const nn::TransformerConfig& config) {
  const auto number = [&](int64_t honest) { return json_number(damage, honest); };
  return json_object(damage, {{"model_type", json_text(damage, "marian")},
                              {"activation_function", json_text(damage, "relu")},
                              {"vocab_size", number(config.target_vocabulary)},
                              {"d_model", number(config.dim)},
                              {"encoder_attention_heads", number(config.heads)},
                              {"decoder_attention_heads", number(config.heads)},
                              {"encoder_ffn_dim", number(config.feed_forward)},
                              {"decoder_ffn_dim", number(config.feed_forward)},
                              {"encoder_layers", number(config.encoder_layers)},
                              {"decoder_layers", number(config.decoder_layers)},
                              {"max_position_embeddings", number(64)},
                              {"dropout", fmt::format("{}", damage.real(0.1))},
                              {"pad_token_id", number(5)},
                              {"eos_token_id", number(0)},
                              {"decoder_start_token_id", number(5)},
                              {"scale_embedding", "true"}});
}

}  // namespace

void make_transformers(Damage& damage, const std::string& folder) {
  const nn::TransformerConfig config = small_config(static_cast<int64_t>(kPieces.size()));
  const nn::TensorMap tensors =
      tools::exchange::split(small_model(config), tools::exchange::hf_marian_parts(config));
  switch (damage.below(4)) {
    case 0: put(damage, folder, "pytorch_model.bin", archive(damage, tensors)); break;
    case 1: put(damage, folder, "pytorch_model.bin", older_file(damage, tensors)); break;
    case 2: put(damage, folder, "model.safetensors", safetensors(damage, tensors)); break;
    default:
      put(damage, folder, "part.safetensors", safetensors(damage, tensors));
      put(damage, folder, "model.safetensors.index.json",
          json_object(damage,
                      {{"weight_map", json_object(damage, {{"a", json_text(damage, "part.safetensors")}})}}));
  }
  put(damage, folder, "config.json", settings(damage, config));
  put(damage, folder, "vocab.json", json_pieces(damage, kPieces));
  put(damage, folder, "tokenizer_config.json", json_object(damage, {{"separate_vocabs", "false"}}));
  for (const char* name : {"source.spm", "target.spm"})
    put(damage, folder, name, sentencepiece(damage, {"<unk>", "<s>", "</s>", "\u2581", "a", "b"}));
}

}  // namespace xf::fuzz
