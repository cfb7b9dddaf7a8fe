// Models whose matrices are in eight bits. Expectations: the same blocks in f32, whose differences
// the kernel's test bounds (tests/kernels/quantized_linear_test.cpp); and what is refused.
#include "kernels/top_k.h"
#include "nn/checkpoint/checkpoint.h"
#include "nn/embedding_block.h"
#include "nn/feed_forward.h"
#include "nn/output_block.h"
#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tests/support/compare.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

constexpr int64_t kDim = 64, kHidden = 96, kVocabulary = 300, kRows = 9;

struct Blocks {
  ParameterStore store;
  const Parameter& table = add_embedding_table(store, "embedding.weight", kVocabulary, kDim);
  const Parameter& other = store.add("positions.weight", {kRows, kDim}, Init::normal(0.1f));
  const Parameter& source = add_embedding_table(store, "source.weight", kVocabulary, kDim);
  Embedding embedding{store, "embedding", source, nullptr, 0};
  FeedForward relu{store, "relu", {kDim, kHidden, kernels::Activation::relu, 0}};
  FeedForward gelu{store, "gelu", {kDim, kHidden, kernels::Activation::gelu, 0}};
  Output output{store, table, 0};
  Arena arena{Device::cpu(), int64_t{1} << 24};
  Tape tape{arena, Tape::Mode::inference};
  ForwardContext context{.tape = tape};
};

struct InF32 : Blocks {
  InF32() {
    store.allocate(Device::cpu(), ParameterStore::Gradients::no);
    store.initialise(1);
  }
};

// The same weights.
struct InEightBits : Blocks {
  InEightBits() {
    store.allocate_quantized();
    load_model(weights(), store, "model");
  }
  static TensorMap weights() {
    const InF32 whole;
    return quantized(model_of(whole.store), whole.store, "model");
  }
};

std::string refusal(const TensorMap& weights, const ParameterStore& store) {
  return error_of([&] { load_model(weights, store, "some/model"); });
}

}  // namespace

TEST_CASE("Quantized: blocks come close to those in f32, and are not the same", "[unit]") {
  InEightBits ours;
  InF32 in_f32;
  const Tensor x = random_tensor({kRows, kDim}, DType::f32, 1);
  const auto differ = [](const Tensor& a, const Tensor& b) {
    const double error = max_relative_error(a, b);
    CHECK(error > 0);
    CHECK(error < 0.02);
  };
  differ(ours.relu.forward(ours.context, x, {}).value(), in_f32.relu.forward(in_f32.context, x, {}).value());
  differ(ours.gelu.forward(ours.context, x, {}).value(), in_f32.gelu.forward(in_f32.context, x, {}).value());
  differ(ours.output.logits(ours.context, x), in_f32.output.logits(in_f32.context, x));
  const Tensor ids = Tensor::from(std::vector<int32_t>{3, 299, 16}),
               places = Tensor::from(std::vector<int32_t>{0, 1, 2});
  const Tensor positions = random_tensor({kRows, kDim}, DType::f32, 2);
  const auto embedded = [&](Blocks& blocks) {
    return blocks.embedding.forward(blocks.context, ids, places, {}, positions, {}).value();
  };
  differ(embedded(ours), embedded(in_f32));
}

TEST_CASE("Quantized: the best tokens are those of the logits", "[unit]") {
  InEightBits blocks;
  const Tensor x = random_tensor({kRows, kDim}, DType::f32, 1), z = blocks.output.logits(blocks.context, x);
  const auto best = [] {
    return std::pair{poisoned({kRows, 3}, DType::f32), Tensor::zeros({kRows, 3}, DType::i32)};
  };
  const auto [expected, expected_ids] = best();
  const auto [scores, ids] = best();
  kernels::log_softmax_top_k(z, {}, kernels::Normalise::yes, expected, expected_ids);
  blocks.output.top_k(blocks.context, x, {}, kernels::Normalise::yes, scores, ids);
  CHECK(same_bits(ids, expected_ids));
  CHECK(same_bits(scores, expected));
}

TEST_CASE("Quantized: matrices and tables are in eight bits alone, all else in f32 alone", "[unit]") {
  const InEightBits blocks;
  const Parameter& bias = blocks.store.find("relu.in.bias");
  for (const Parameter* parameter : {&blocks.table, &blocks.source, &blocks.store.find("relu.in.weight")}) {
    INFO(parameter->name);
    CHECK(parameter->quantized.defined());
    CHECK_FALSE(parameter->value.defined());
  }
  for (const Parameter* parameter : {&blocks.other, &bias}) {
    INFO(parameter->name);
    CHECK_FALSE(parameter->quantized.defined());
    CHECK(parameter->value.defined());
  }
}

TEST_CASE("Quantized: weights are i8 with a scale for each row, a quarter of their bytes", "[unit]") {
  const TensorMap weights = InEightBits::weights();
  CHECK(is_quantized(weights));
  CHECK_FALSE(is_quantized(model_of(InF32().store)));
  CHECK(weights.at("embedding.weight").dtype() == DType::i8);
  CHECK(weights.at("embedding.weight").shape() == Shape{kVocabulary, kDim});
  CHECK(weights.at("embedding.weight_scale").dtype() == DType::f32);
  CHECK(weights.at("embedding.weight_scale").shape() == Shape{kVocabulary});
  CHECK(same_bits(weights.at("positions.weight"), InF32().other.value));
}

TEST_CASE("Quantized: a scale or a tensor that is missing, of another shape or type, is refused by name",
          "[unit]") {
  InEightBits blocks;
  const auto with = [](const std::string& name, const Tensor& tensor) {
    TensorMap weights = InEightBits::weights();
    weights.erase(name);
    if (tensor.defined()) weights[name] = tensor;
    return weights;
  };
  const std::string name = "relu.in.weight", scale = name + "_scale";
  CHECK(refusal(with(scale, {}), blocks.store) == "3: some/model: the model has no relu.in.weight_scale");
  CHECK(refusal(with(name, {}), blocks.store) == "3: some/model: the model has no relu.in.weight");
  CHECK_THAT(refusal(with(scale, Tensor::zeros({kHidden, 1}, DType::f32)), blocks.store),
             Catch::StartsWith("3: some/model: relu.in.weight_scale is [96, 1], "));
  CHECK_THAT(refusal(with(scale, Tensor::zeros({kHidden}, DType::f64)), blocks.store),
             Catch::StartsWith("3: some/model: relu.in.weight_scale is f64, "));
  CHECK_THAT(refusal(with(name, Tensor::zeros({kDim, kHidden}, DType::i8)), blocks.store),
             Catch::StartsWith("3: some/model: relu.in.weight is [64, 96], "));
  CHECK_THAT(refusal(with(name, Tensor::zeros({kHidden, kDim}, DType::f32)), blocks.store),
             Catch::StartsWith("3: some/model: relu.in.weight is f32, "));
}

TEST_CASE("Quantized: what is trained takes no weights in eight bits", "[unit]") {
  const InF32 blocks;
  CHECK_THAT(refusal(InEightBits::weights(), blocks.store),
             Catch::StartsWith("3: some/model: embedding.weight is i8, but a parameter is f32"));
}

TEST_CASE("Quantized: only f32 models are", "[unit]") {
  for (const DType dtype : {DType::bf16, DType::f64}) {
    ParameterStore store(dtype);
    store.add("w", {2, 2}, Init::zeros());
    CHECK_THROWS_AS(store.allocate_quantized(), Error);
  }
}
