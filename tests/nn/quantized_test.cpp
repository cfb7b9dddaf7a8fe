// Models whose products read weights in eight bits. Expectations: the same blocks in f32, whose differences the kernel's test
// bounds (tests/kernels/quantized_linear_test.cpp); and what is refused.
#include "kernels/top_k.h"
#include "nn/feed_forward.h"
#include "nn/output_block.h"
#include "tests/support/catch.h"
#include "tests/support/compare.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

constexpr int64_t kDim = 64, kHidden = 96, kVocabulary = 300, kRows = 9;

struct Blocks {
  Registry registry;
  const Parameter& table = registry.add("embedding.weight", {kVocabulary, kDim}, Init::normal(0.1f));
  const Parameter& other = registry.add("positions.weight", {kRows, kDim}, Init::normal(0.1f));
  FeedForward relu{registry, "relu", {kDim, kHidden, kernels::Activation::relu, 0}};
  FeedForward gelu{registry, "gelu", {kDim, kHidden, kernels::Activation::gelu, 0}};
  Output output{registry, table, 0};
  Arena arena{Device::cpu(), int64_t{1} << 24};
  Tape tape{arena, Tape::Mode::inference};
  Step step{.tape = tape};

  Blocks() {
    registry.allocate(Device::cpu(), Registry::Gradients::no);
    registry.initialise(1);
  }
};

}  // namespace

TEST_CASE("Quantized: blocks come close to those in f32, and are not the same", "[unit]") {
  Blocks ours, in_f32;
  ours.registry.quantize();
  const Tensor x = random_tensor({kRows, kDim}, DType::f32, 1);
  const auto differ = [](const Tensor& a, const Tensor& b) {
    const double error = max_relative_error(a, b);
    CHECK(error > 0);
    CHECK(error < 0.02);
  };
  differ(ours.relu.forward(ours.step, x, {}).value(), in_f32.relu.forward(in_f32.step, x, {}).value());
  differ(ours.gelu.forward(ours.step, x, {}).value(), in_f32.gelu.forward(in_f32.step, x, {}).value());
  differ(ours.output.logits(ours.step, x), in_f32.output.logits(in_f32.step, x));
}

TEST_CASE("Quantized: the best tokens are those of the logits", "[unit]") {
  Blocks blocks;
  blocks.registry.quantize();
  const Tensor x = random_tensor({kRows, kDim}, DType::f32, 1), z = blocks.output.logits(blocks.step, x);
  const auto best = [] {
    return std::pair{poisoned({kRows, 3}, DType::f32), Tensor::zeros({kRows, 3}, DType::i32)};
  };
  const auto [expected, expected_ids] = best();
  const auto [scores, ids] = best();
  kernels::log_softmax_top_k(z, {}, expected, expected_ids);
  blocks.output.top_k(blocks.step, x, {}, scores, ids);
  CHECK(same_bits(ids, expected_ids));
  CHECK(same_bits(scores, expected));
}

TEST_CASE("Quantized: of parameters that no product reads there is no copy", "[unit]") {
  Blocks blocks;
  blocks.registry.quantize();
  CHECK(blocks.table.quantized.defined());  // the output's matrix
  CHECK_FALSE(blocks.other.quantized.defined());
  CHECK(blocks.registry.find("relu.in.weight").quantized.defined());
  CHECK_FALSE(blocks.registry.find("relu.in.bias").quantized.defined());
}

TEST_CASE("Quantized: only f32 models are", "[unit]") {
  for (const DType dtype : {DType::bf16, DType::f64}) {
    Registry registry(dtype);
    registry.add("w", {2, 2}, Init::zeros());
    registry.allocate(Device::cpu(), Registry::Gradients::no);
    CHECK_THROWS_AS(registry.quantize(), Error);
  }
}
