#include "nn/output_block.h"

#include "tests/nn/block_check.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

constexpr int64_t kDim = 3, kVocabulary = 11;

Ids targets_for(int64_t T) {
  PhiloxSequence random(8, 8);
  Ids targets;
  for (int64_t i = 0; i < T; ++i) targets.push_back(static_cast<int32_t>(random.below(kVocabulary)));
  return targets;
}

PackedBatch batch_of(const Tensor& targets) {
  PackedBatch batch;
  batch.target_out = targets;
  return batch;
}

struct Fixture {
  ParameterStore store{DType::f64};
  const Parameter& weight = store.add("output.weight", {kVocabulary, kDim}, Init::zeros());
  Output block;
  Tensor targets;
  Block f;
  Witness witness;
  explicit Fixture(int64_t T, float smoothing)
      : block(store, weight, smoothing), targets(Tensor::from(targets_for(T))) {
    store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
    randomise(store);
    f = [=, this](ForwardContext& context, const Variables& x) {
      return block.loss(context, x[0], batch_of(targets), Tensor::zeros({2}, DType::f64));
    };
    witness = [=, this](Tape& tape, const Leaves& parameters, const Variables& x) {
      return autograd::cross_entropy(tape, affine(tape, x[0], parameters, "output"), targets,
                                     {.label_smoothing = smoothing});
    };
  }
};

const Tensor kOne = Tensor::from(std::vector<double>{1});

}  // namespace

TEST_CASE("Output: gradients of input and projection and agreement with primitive nodes", "[grad]") {
  const int64_t chunk = kernels::logits_chunk(INT32_MAX, 1, Device::cpu())[0];
  for (const float smoothing : {0.0f, 0.1f}) {
    for (const int64_t T : {int64_t{1}, int64_t{7}, int64_t{33}, chunk + 1}) {
      const Fixture fixture(T, smoothing);
      const std::vector<Tensor> inputs{random_f64({T, kDim}, 1)};
      const Worst witness = witness_error(fixture.store, fixture.f, fixture.witness, inputs, kOne);
      INFO("T " << T << " smoothing " << smoothing << ", against primitive nodes: " << witness.of);
      CHECK(witness.error <= 1e-12);
      if (T > 33) continue;  // 3000 losses of so many rows would take seconds
      const Worst difference = block_gradient_error(fixture.store, fixture.f, inputs, kOne);
      INFO(difference.of);
      CHECK(difference.error <= 1e-6);
    }
  }
}

TEST_CASE("Output: losses accumulate and the logits are those of the loss", "[unit]") {
  const Fixture fixture(7, 0.1f);
  const Tensor x = random_f64({7, kDim}, 1), loss = Tensor::zeros({2}, DType::f64);
  Arena arena(Device::cpu(), kTestArena);
  Tape tape(arena, Tape::Mode::inference);
  ForwardContext context{.tape = tape};
  fixture.block.loss(context, x, batch_of(fixture.targets), loss);
  const auto once = loss.to_vector<double>();
  fixture.block.loss(context, x, batch_of(fixture.targets), loss);
  CHECK(loss.to_vector<double>()[0] == Approx(2 * once[0]));
  CHECK(loss.to_vector<double>()[1] == Approx(2 * once[1]));
  // -log softmax of the target's logit, from the definition.
  const auto z = fixture.block.logits(context, x).to_vector<double>();
  double plain = 0;
  for (size_t n = 0; n < 7; ++n) {
    double sum = 0;
    for (size_t v = 0; v < kVocabulary; ++v) sum += std::exp(z[n * kVocabulary + v]);
    plain += std::log(sum) - z[n * kVocabulary + static_cast<size_t>(fixture.targets.data<int32_t>()[n])];
  }
  CHECK(once[1] == Approx(plain).epsilon(1e-12));
}

TEST_CASE("Output: its loss ends the computation, and takes no other seed than 1", "[unit]") {
  const Fixture fixture(3, 0.1f);
  const Tensor x = random_f64({3, kDim}, 1);
  Arena arena(Device::cpu(), kTestArena);
  Tape tape(arena);
  ForwardContext context{.tape = tape};
  const Variable loss = fixture.f(context, {tape.leaf(x, Tensor::zeros({3, kDim}, DType::f64))});
  CHECK_THROWS_WITH(autograd::scale(tape, loss, 2), Catch::Contains("ends the computation"));
  CHECK_THROWS_WITH(tape.backward(loss, kOne), Catch::Contains("for a seed of 1"));
  const Variable twice = autograd::scale(tape, x, 2);
  CHECK_THROWS_WITH(tape.backward(twice), Catch::Contains("not a root"));
}
