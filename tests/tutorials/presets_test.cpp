// The sizes of the published models, counted without memory for them: the store alone. The totals
// are what their authors print, or arithmetic: attention 4 (D^2 + D), feed-forward 2 D F + F + D,
// norm 2 D.
#include "tools/tutorials/model/presets.h"

#include "tests/nn/block_check.h"
#include "tests/support/catch.h"
#include "tools/tutorials/model/transformer.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;
using namespace xf::nn::quirks;

namespace {

// Parameters whose name begins so.
int64_t count_of(Config config, const std::string& prefix = "") {
  config.max_length = 1;  // positions are no parameters
  ParameterStore store;
  const quirks::Transformer model(config, store);
  int64_t count = 0;
  for (const Parameter& parameter : store.parameters())
    count += parameter.name.starts_with(prefix) ? parameter.shape.numel() : 0;
  return count;
}

class Shapes : public Trace {
 public:
  std::map<std::string, Shape> of;  // "block symbol"
  void value(std::string_view block, std::string_view, std::string_view symbol,
             const Tensor& value) override {
    of.try_emplace(fmt::format("{} {}", block, symbol), value.shape());
  }
};

Shapes shapes_of(const Config& config, const Tensor& source, const Tensor& target) {
  ParameterStore store;
  const quirks::Transformer model(config, store);
  store.allocate(Device::cpu(), ParameterStore::Gradients::no);
  Arena arena(Device::cpu());
  Tape tape(arena, Tape::Mode::inference);
  Shapes shapes;
  const ForwardContext context{.tape = tape, .trace = &shapes};
  model.forward(context, source, target, Tensor());
  return shapes;
}

}  // namespace

TEST_CASE("Presets: the base model's parts have 1,050,624, 2,099,712 and 1,024 parameters", "[golden]") {
  const Config config = base();
  CHECK(count_of(config, "encoder.layers.0.self_attention.norm") == 1024);
  CHECK(count_of(config, "encoder.layers.0.self_attention.") == 1050624 + 1024);
  CHECK(count_of(config, "encoder.layers.0.feed_forward.") == 2099712 + 1024);
  CHECK(count_of(config, "encoder.layers.0.") == 3152384);
  CHECK(count_of(config, "encoder.") == 18914304);
  CHECK(count_of(config, "decoder.layers.0.") == 4204032);
  CHECK(count_of(config, "decoder.") == 25224192);
  CHECK(count_of(config, "source_embedding.") == 3017216);
  CHECK(count_of(config, "target_embedding.") == 4020736);
  CHECK(count_of(config, "output.") == 4028589);
}

TEST_CASE(
    "Presets: tutorials/translator has 55,205,037 parameters, 55,168,173 without the attention's biases",
    "[golden]") {
  CHECK(count_of(preset("tutorials/translator")) == 55205037);
  Config no_bias = preset("tutorials/translator");
  no_bias.quirks.attention_bias = false;
  CHECK(count_of(no_bias) == 55168173);
}

TEST_CASE("Presets: tutorials/seq2seq has 55,207,087 parameters, and a target word more or less is 1,025",
          "[golden]") {
  CHECK(count_of(preset("tutorials/seq2seq")) == 55207087);
  CHECK(count_of(preset("tutorials/seq2seq"), "target_embedding.") == 4021760);
  CHECK(count_of(preset("tutorials/seq2seq"), "output.") == 4029615);
  Config fewer_words = preset("tutorials/seq2seq");
  fewer_words.target_vocabulary -= 2;
  CHECK(count_of(fewer_words) == 55207087 - 2 * 1025);
}

// 220,828,348 bytes are the "215.7MB" of tutorials/seq2seq's page: divided by 1,024,000.
TEST_CASE("Presets: in f32 tutorials/translator is 220,820,148 bytes, tutorials/seq2seq 220,828,348",
          "[golden]") {
  CHECK(count_of(preset("tutorials/translator")) * size_of(DType::f32) == 220820148);
  CHECK(count_of(preset("tutorials/seq2seq")) * size_of(DType::f32) == 220828348);
}

TEST_CASE("Presets: two norms in a decoder layer leave 55,198,893 parameters of the base model", "[golden]") {
  Config config = base();
  config.quirks.decoder_norms = NormSharing::first;
  CHECK(count_of(config) == 55198893);
}

TEST_CASE("Presets: tutorials/characters has 42,609,837 parameters, as meant and as it is", "[golden]") {
  for (const Config& config : {preset("tutorials/characters"), preset("tutorials/characters-asis")}) {
    CHECK(count_of(config) == 42609837);
    CHECK(count_of(config, "encoder.layers.0.") == 2102784);
    CHECK(count_of(config, "decoder.layers.0.") == 3154432);
  }
}

TEST_CASE("Presets: tutorials/illustrated, pre-norm with two final norms, has 55,207,085 parameters",
          "[golden]") {
  CHECK(count_of(preset("tutorials/illustrated")) == 55207085);
  CHECK(count_of(preset("tutorials/illustrated"), "encoder.norm") +
            count_of(preset("tutorials/illustrated"), "decoder.norm") ==
        2 * 1024);
  CHECK(count_of(preset("tutorials/illustrated-prose")) == 55205037);
}

TEST_CASE("Presets: Kaiming's bounds are 0.108253 for 512 inputs and 0.054127 for 2048", "[golden]") {
  const auto bound_of = [](const std::string& name) {
    ParameterStore store;
    Config config = preset("tutorials/translator");
    config.max_length = 1;
    const quirks::Transformer model(config, store);
    const Init init = store.find(name).init;
    CHECK(init.kind == Init::Kind::uniform);
    return init.scale;
  };
  CHECK(bound_of("encoder.layers.0.self_attention.q.weight") == Approx(.108253).margin(5e-7));
  CHECK(bound_of("encoder.layers.0.feed_forward.out.weight") == Approx(.054127).margin(5e-7));
  CHECK(bound_of("source_embedding.weight") == Approx(.108253).margin(5e-7));
  CHECK(bound_of("encoder.layers.0.feed_forward.out.bias") == Approx(1 / std::sqrt(2048.0)));
}

TEST_CASE("Presets: a model that knows nothing has the loss ln 7853 = 8.968651, or ln 7855 = 8.968906",
          "[golden]") {
  for (const auto& [config, expected] :
       {std::pair{preset("tutorials/translator"), 8.968651}, {preset("tutorials/seq2seq"), 8.968906}}) {
    const Tensor loss = Tensor::zeros({2}, DType::f64);
    kernels::cross_entropy(Tensor::zeros({1, config.target_vocabulary}, DType::f64), Tensor::from(Ids{4}), {},
                           loss, Tensor());
    CHECK(loss.data<double>()[0] == Approx(expected).margin(5e-7));
  }
}

TEST_CASE("Presets: tutorials/translator's shapes, of a batch of 2 in place of 128", "[golden]") {
  Config config = preset("tutorials/translator");
  config.layers = 1;
  const Tensor source = Tensor::zeros({2, 30}, DType::i32), target = Tensor::zeros({2, 29}, DType::i32);
  const Shapes shapes = shapes_of(config, source, target);
  const auto shape = [&](const std::string& name) { return shapes.of.at(name).to_string(); };
  CHECK(shape("source_embedding table") == Shape{256, 512}.to_string());
  CHECK(shape("source_embedding positions") == Shape{30, 512}.to_string());
  CHECK(shape("source_embedding sum") == Shape{2, 30, 512}.to_string());
  const std::string layer = "encoder.layers.0.";
  CHECK(shape(layer + "self_attention q_heads") == Shape{2, 8, 30, 64}.to_string());
  CHECK(shape(layer + "self_attention s") == Shape{2, 8, 30, 30}.to_string());
  CHECK(shape(layer + "feed_forward a") == Shape{2, 30, 2048}.to_string());
  CHECK(shape("decoder.layers.0.cross_attention p") == Shape{2, 8, 29, 30}.to_string());
  CHECK(shape("output z") == Shape{2, 29, 7853}.to_string());
}

TEST_CASE("Presets: every one runs at a small size, and its rows of log-probabilities sum to 1", "[unit]") {
  for (const std::string& name : preset_names()) {
    INFO(name);
    Config config = preset(name);
    config.source_vocabulary = 11, config.target_vocabulary = 13, config.dim = 8, config.heads = 2;
    config.feed_forward = 12, config.layers = 2, config.max_length = 6;
    ParameterStore store(DType::f64);
    const quirks::Transformer model(config, store);
    store.allocate(Device::cpu(), ParameterStore::Gradients::no);
    model.initialise(store, 1);
    Arena arena(Device::cpu());
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{.tape = tape};
    const Tensor ids = Tensor::from(Ids{4, 5, 6, 7, 8, 1}, {2, 3});
    const Tensor z = model.forward(context, ids, ids, Tensor()).value();
    CHECK(z.shape() == Shape{2, 3, 13});
    double sum = 0, worst = 0;
    for (int64_t v = 0; v < 13; ++v) sum += std::exp(z.data<double>()[v]);
    for (const double value : as_doubles(z)) worst = std::max(worst, std::abs(value));
    CHECK(std::isfinite(worst));
    if (config.quirks.output == Output::log_softmax) CHECK(sum == Approx(1));
  }
}
