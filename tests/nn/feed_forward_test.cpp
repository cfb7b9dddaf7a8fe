#include "nn/feed_forward.h"

#include "tests/nn/block_check.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

constexpr int64_t kDim = 5, kHidden = 7;

struct Fixture {
  ParameterStore store{DType::f64};
  FeedForward block;
  Block f;
  Witness witness;
  Fixture(int64_t T, kernels::Activation activation, float p)
      : block(store, "f", {kDim, kHidden, activation, p}) {
    store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
    randomise(store);
    const Tokens tokens = tokens_of({0, static_cast<int32_t>(T)}, 60, 40);
    f = [=, this](ForwardContext& context, const Variables& x) {
      return block.forward(context, x[0], tokens);
    };
    witness = [=](Tape& tape, const Leaves& parameters, const Variables& x) {
      const Variable z = autograd::matmul(tape, x[0], kernels::Transpose::no, parameters.at("f.in.weight"),
                                          kernels::Transpose::yes);
      const Variable a = autograd::bias_activation(tape, z, parameters.at("f.in.bias"), activation);
      return affine(tape, autograd::dropout(tape, a, {p, 77, 0, tokens.counter}), parameters, "f.out");
    };
  }
};

}  // namespace

// FF1, FF2, FF3, FF4, FF5, FF6, FF7
TEST_CASE("FeedForward: gradients of input and parameters and agreement with primitive nodes", "[grad]") {
  const auto activation = GENERATE(from_range(kernels::kActivations));
  for (const int64_t T : {1, 7, 33}) {
    for (const float p : {0.0f, kBlockDropout}) {
      const Fixture fixture(T, activation, p);
      const std::vector<Tensor> inputs{random_f64({T, kDim}, 1)};
      const Worst difference = block_gradient_error(fixture.store, fixture.f, inputs);
      INFO("T " << T << " p " << p << ": " << difference.of);
      CHECK(difference.error <= 1e-6);
      const Worst witness = witness_error(fixture.store, fixture.f, fixture.witness, inputs);
      INFO("against primitive nodes: " << witness.of);
      CHECK(witness.error <= 1e-12);
    }
  }
}

TEST_CASE("FeedForward: parameter gradients accumulate and need no input gradient", "[unit]") {
  const Fixture fixture(7, kernels::Activation::gelu, kBlockDropout);
  CHECK(accumulates(fixture.store, fixture.f, {random_f64({7, kDim}, 1)}));
  CHECK(constants_change_nothing(fixture.store, fixture.f, {random_f64({7, kDim}, 1)}));
}
