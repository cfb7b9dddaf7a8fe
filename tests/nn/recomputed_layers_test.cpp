// --gradient-checkpointing: layers whose values are computed anew on the way back.
#include "nn/classifier.h"
#include "nn/language_model.h"
#include "nn/train/memory_plan.h"
#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"
#include "tests/support/targets.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

TransformerConfig config_of(ModelType type, NormPlacement norm, bool recompute) {
  TransformerConfig config = tiny_config();
  config.dim = 12;
  config.type = type;
  config.norm = norm;
  config.encoder_layers = type == ModelType::language_model ? 0 : 3;
  config.decoder_layers = type == ModelType::classification ? 0 : 3;
  config.recompute_layers = recompute;
  return config;
}

PackedBatch batch_for(ModelType type) {
  const bool classes = type == ModelType::classification;
  PackedBatch batch = random_batch({5, 1, 9, 3}, classes ? Ids{1, 1, 1, 1} : Ids{4, 2, 1, 11}, 13, 13, 21);
  if (type == ModelType::language_model)
    batch.source_ids = batch.source_positions = batch.source_order = batch.source_offsets = Tensor();
  if (classes) batch.target_out = Tensor::from(Ids{0, 2, 1, 1});
  return batch;
}

struct Gradient {
  double loss = 0;
  std::map<std::string, Tensor> parameters;
};

template <typename Model>
Gradient gradient(ModelType type, NormPlacement norm, bool recompute, DType dtype, Device device) {
  Tiny<Model> tiny(dtype, config_of(type, norm, recompute), Arena::kDefaultBlock, device);
  const double loss = tiny.accumulate({batch_for(type)});
  return {loss, gradients_of(tiny.store)};
}

template <typename Model>
void check_same_bits(ModelType type, DType dtype, Device device) {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    const Gradient kept = gradient<Model>(type, norm, false, dtype, device),
                   again = gradient<Model>(type, norm, true, dtype, device);
    INFO("type " << static_cast<int>(type) << " norm " << static_cast<int>(norm));
    CHECK(again.loss == kept.loss);
    for (const auto& [name, expected] : kept.parameters) {
      INFO(name);
      CHECK(same_bits(again.parameters.at(name), expected));
    }
  }
}

}  // namespace

// TP3
TEST_CASE("Recomputed layers: every gradient has the bits of layers that are kept, with dropout on",
          "[unit]") {
  for (const DType dtype : {DType::f64, DType::f32, DType::bf16}) {
    check_same_bits<Transformer>(ModelType::translation, dtype, Device::cpu());
    check_same_bits<LanguageModel>(ModelType::language_model, dtype, Device::cpu());
    check_same_bits<Classifier>(ModelType::classification, dtype, Device::cpu());
  }
}

TEST_CASE("CUDA: layers that are computed anew have the bits of those that are kept", "[cuda]") {
  check_same_bits<Transformer>(ModelType::translation, DType::f32, Device::cuda());
}

TEST_CASE("Recomputed layers: the plan of a deep model needs less than half of the memory", "[unit]") {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    const auto planned = [&](bool recompute) {
      TransformerConfig config = config_of(ModelType::translation, norm, recompute);
      config.dim = 64;
      config.heads = 4;
      config.feed_forward = 256;
      config.encoder_layers = config.decoder_layers = 12;
      return plan_memory(config, {.source_tokens = 500, .target_tokens = 400, .sentences = 50}).activations;
    };
    CHECK(planned(true) < planned(false) / 2);
  }
}
