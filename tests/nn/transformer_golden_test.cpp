// The whole model against PyTorch: loss and every parameter's gradient.
// tests/golden/make_transformer.py wrote the fixtures, with its own Transformer in f64 on padded
// batches.
#include <cmath>

#include "nn/transformer.h"
#include "tests/nn/golden_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;

namespace {

TransformerConfig golden_config() {
  TransformerConfig config;
  config.source_vocabulary = 37;
  config.target_vocabulary = 41;
  config.dim = 12;
  config.heads = 3;
  config.feed_forward = 20;
  config.encoder_layers = config.decoder_layers = 2;
  config.label_smoothing = 0.1f;
  config.max_length = 60;
  return config;
}

struct Result {
  golden::Errors against;
  double encoder = 0, log_probs = 0;
};

// Log-probabilities of the last position of each sentence.
std::vector<double> last_log_probs(const Transformer& model, ForwardContext& context, const Variable& states,
                                   const PackedBatch& batch) {
  std::vector<double> all;
  const auto offsets = batch.target_offsets.to_vector<int32_t>();
  const auto logits = tests::as_doubles(model.logits(context, states.value()));
  const auto V = static_cast<size_t>(model.config().target_vocabulary);
  for (size_t b = 0; b + 1 < offsets.size(); ++b) {
    const double* z = logits.data() + static_cast<size_t>(offsets[b + 1] - 1) * V;
    double sum = 0;
    for (size_t v = 0; v < V; ++v) sum += std::exp(z[v]);
    for (size_t v = 0; v < V; ++v) all.push_back(z[v] - std::log(sum));
  }
  return all;
}

Result compare(const TransformerConfig& config, const std::string& name, DType dtype) {
  const TensorMap file = golden::read(name);
  ParameterStore store(dtype);
  Transformer model(config, store);
  store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
  model.bind(Device::cpu());
  golden::load_parameters(store, file);
  const PackedBatch batch = golden::batch();
  Arena arena(Device::cpu());
  Result result;
  result.against = golden::loss_and_gradients(model, store, batch, arena, file);
  Tape tape(arena, Tape::Mode::inference);
  ForwardContext context{.tape = tape};
  const Variable memory = model.encode(context, batch, Tensor());
  result.encoder =
      tests::max_relative_error(memory.value(), tests::as_doubles(file.at("result.encoder_output")));
  const Variable states = model.decode(context, batch, memory, Tensor());
  result.log_probs = tests::max_relative_error(last_log_probs(model, context, states, batch),
                                               tests::as_doubles(file.at("result.last_log_probs")));
  return result;
}

// max_lengths: for short and long attention.
void check(const TransformerConfig& config, const std::string& name,
           const std::vector<int64_t>& max_lengths = {60, 100}) {
  // f64: eps and label smoothing are f32 constants here, 1e-8 off PyTorch's.
  for (const auto& [dtype, tolerance] : {std::pair{DType::f64, 1e-6}, std::pair{DType::f32, 2e-4}}) {
    for (const int64_t max_length : max_lengths) {
      TransformerConfig longer = config;
      longer.max_length = max_length;
      const Result result = compare(longer, name, dtype);
      INFO(name << " " << name_of(dtype) << " max_length " << max_length << ": worst gradient "
                << result.against.worst_name);
      CHECK(result.against.loss < tolerance);
      CHECK(result.against.nll < tolerance);
      CHECK(result.encoder < tolerance);
      CHECK(result.log_probs < tolerance);
      CHECK(result.against.worst_gradient < tolerance);
    }
  }
}

}  // namespace

TEST_CASE("Transformer: post-norm agrees with PyTorch in loss and every gradient", "[golden]") {
  check(golden_config(), "transformer_post.safetensors");
}

TEST_CASE("Transformer: pre-norm with GELU agrees with PyTorch in loss and every gradient", "[golden]") {
  TransformerConfig config = golden_config();
  config.norm = NormPlacement::pre;
  config.activation = kernels::Activation::gelu;
  check(config, "transformer_pre_gelu.safetensors");
}

TEST_CASE("Transformer: swish agrees with PyTorch in loss and every gradient", "[golden]") {
  TransformerConfig config = golden_config();
  config.activation = kernels::Activation::swish;
  check(config, "transformer_swish.safetensors");
}

TEST_CASE("Transformer: learnt positions agree with PyTorch in loss and every gradient", "[golden]") {
  TransformerConfig config = golden_config();
  config.learned_positions = true;
  check(config, "transformer_learned.safetensors", {12});
}

TEST_CASE("Transformer: rotary positions agree with PyTorch in loss and every gradient", "[golden]") {
  TransformerConfig config = golden_config();
  config.norm = NormPlacement::pre;
  config.rotary_positions = true;
  check(config, "transformer_rotary.safetensors");
}

TEST_CASE("Transformer: one tied table agrees with PyTorch in loss and every gradient", "[golden]") {
  TransformerConfig config = golden_config();
  config.target_vocabulary = 37;
  config.tying = Tying::all;
  check(config, "transformer_tied.safetensors");
}

TEST_CASE("Transformer: parameter counts of the published systems", "[golden]") {
  // 55,205,037 and 55,207,087: the counts of two published implementations at these vocabularies,
  // word-level Multi30k.
  TransformerConfig base;
  base.dim = 512;
  base.heads = 8;
  base.feed_forward = 2048;
  base.encoder_layers = base.decoder_layers = 6;
  base.source_vocabulary = 5893;
  const auto count = [&](int64_t target_vocabulary) {
    base.target_vocabulary = target_vocabulary;
    ParameterStore store;
    const Transformer model(base, store);
    return store.count();
  };
  CHECK(count(7853) == 55'205'037);
  CHECK(count(7855) == 55'207'087);
  base.norm = NormPlacement::pre;
  CHECK(count(7853) == 55'207'085);  // two final norms more
}
