// The language model and the classifier against PyTorch: loss and every parameter's gradient.
// tests/golden/make_models.py wrote the fixtures.
#include "tests/nn/golden_model.h"

using namespace xf;
using namespace xf::nn;

namespace {

TransformerConfig golden_config(ModelType type) {
  TransformerConfig config;
  config.type = type;
  config.source_vocabulary = 37;
  config.dim = 12;
  config.heads = 3;
  config.feed_forward = 20;
  config.encoder_layers = config.decoder_layers = 2;
  config.label_smoothing = 0.1f;
  return config;
}

void check(TransformerConfig config, const std::string& name) {
  const TensorMap file = golden::read(name);
  PackedBatch batch = golden::batch();
  if (config.type == ModelType::classification) {
    batch.target_out = file.at("classes");
    batch.target_offsets = Tensor::from(std::vector<int32_t>{0, 1, 2, 3, 4, 5});
    batch.target_tokens = 5;
  }
  // f64: eps and label smoothing are f32 constants here, 1e-8 off PyTorch's.
  for (const auto& [dtype, tolerance] : {std::pair{DType::f64, 1e-6}, std::pair{DType::f32, 2e-4}}) {
    for (const int64_t max_length : {60, 100}) {  // short and long attention
      config.max_length = max_length;
      ParameterStore store(dtype);
      const std::unique_ptr<Model> model = make_model(config, store);
      store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
      model->bind(Device::cpu());
      golden::load_parameters(store, file);
      Arena arena(Device::cpu());
      const golden::Errors errors = golden::loss_and_gradients(*model, store, batch, arena, file);
      INFO(name << " " << name_of(dtype) << " max_length " << max_length << ": worst gradient "
                << errors.worst_name);
      CHECK(errors.loss < tolerance);
      CHECK(errors.nll < tolerance);
      CHECK(errors.worst_gradient < tolerance);
    }
  }
}

}  // namespace

TEST_CASE("LanguageModel: agrees with PyTorch in loss and every gradient", "[golden]") {
  TransformerConfig config = golden_config(ModelType::language_model);
  config.target_vocabulary = 41;
  config.norm = NormPlacement::pre;
  config.activation = kernels::Activation::gelu;
  config.tying = Tying::target;
  check(config, "language_model.safetensors");
}

TEST_CASE("Classifier: agrees with PyTorch in loss and every gradient", "[golden]") {
  TransformerConfig config = golden_config(ModelType::classification);
  config.target_vocabulary = 3;
  check(config, "classifier.safetensors");
}
