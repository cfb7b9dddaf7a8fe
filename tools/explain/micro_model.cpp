#include "tools/explain/micro_model.h"

#include "tools/explain/sentence_pair.h"

namespace xf::tools::explain {

namespace {

// Of the weights. With these a model of two layers translates greedily into a sentence that ends,
// without a word twice.
constexpr uint64_t kSeed = 634;

nn::TransformerConfig micro_config(int64_t layers) {
  nn::TransformerConfig config;
  config.source_vocabulary = static_cast<int64_t>(MicroModel::source_words.size());
  config.target_vocabulary = static_cast<int64_t>(MicroModel::target_words.size());
  config.dim = 8;
  config.heads = 2;
  config.feed_forward = 16;
  config.encoder_layers = config.decoder_layers = layers;
  config.label_smoothing = 0.1f;
  config.max_length = 8;
  return config;
}

}  // namespace

const std::vector<std::string> MicroModel::source_words = {"</s>", "a", "small", "dog", "sleeps"};
const std::vector<std::string> MicroModel::target_words = {"<s>",  "</s>",  "ein",     "kleiner",
                                                           "Hund", "Katze", "schläft", "und"};
const int32_t MicroModel::bos = 0, MicroModel::eos = 1;

MicroModel::MicroModel(DType dtype, int64_t layers) : store(dtype), transformer(micro_config(layers), store) {
  store.allocate(Device::cpu(), nn::ParameterStore::Gradients::yes);
  store.initialise(kSeed);
  transformer.bind(Device::cpu());
}

PackedBatch MicroModel::sentence(const std::vector<int32_t>& target) {
  return sentence_pair({.source_eos = 0, .target_bos = bos, .target_eos = eos}, {1, 2, 3, 4}, target);
}

PackedBatch MicroModel::sentence() { return sentence({2, 3, 4, 6}); }

}  // namespace xf::tools::explain
