#include "nn/norm.h"

#include "tests/nn/block_check.h"
#include "tests/support/catch.h"
#include "tests/support/pieces.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

constexpr int64_t kDim = 7;

// Which results of the residual norm the loss reads.
enum class Reads { sum_and_y, y };

struct Fixture {
  ParameterStore store{DType::f64};
  Norm block{store, "n", kDim};
  Fixture() {
    store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
    randomise(store);
  }
  static Variable chosen(Tape& tape, const Variable& sum, const Variable& y, Reads reads) {
    if (reads == Reads::y) return y;
    return tests::join_columns(tape, {sum, y});
  }
  Block residual(Reads reads) const {
    return [=, this](ForwardContext& context, const Variables& x) {
      const kernels::Dropout dropout = context.dropout(kBlockDropout, 3, tokens_of({0, 1}, 60, 40));
      const Norm::Sum out = block.forward_residual(context, x[0], x[1], dropout);
      return chosen(context.tape, out.sum, out.y, reads);
    };
  }
  static Variable layer_norm(Tape& tape, const Leaves& parameters, const Variable& x) {
    return autograd::layer_norm(tape, x, parameters.at("n.weight"), parameters.at("n.bias"), kLayerNormEps);
  }
  static Witness residual_witness(Reads reads) {
    return [=](Tape& tape, const Leaves& parameters, const Variables& x) {
      const kernels::Dropout dropout{kBlockDropout, 77, 3, Tensor::from(Ids{11, 40})};
      const Variable sum = autograd::add(tape, x[0], autograd::dropout(tape, x[1], dropout));
      return chosen(tape, sum, layer_norm(tape, parameters, sum), reads);
    };
  }
};

}  // namespace

TEST_CASE("Norm: gradients of input and parameters and agreement with primitive nodes", "[grad]") {
  const Fixture fixture;
  const Block f = [&](ForwardContext& context, const Variables& x) {
    return fixture.block.forward(context, x[0]);
  };
  const Witness plain = [](Tape& tape, const Leaves& p, const Variables& x) {
    return Fixture::layer_norm(tape, p, x[0]);
  };
  for (const int64_t T : {1, 7, 33}) {
    const std::vector<Tensor> inputs{random_f64({T, kDim}, 1)};
    const Worst difference = block_gradient_error(fixture.store, f, inputs);
    const Worst witness = witness_error(fixture.store, f, plain, inputs);
    INFO("T " << T << ": " << difference.of << ", against primitive nodes: " << witness.of);
    CHECK(difference.error <= 1e-6);
    CHECK(witness.error <= 1e-12);
  }
}

TEST_CASE("Norm behind a residual: gradients through y alone (post-norm) and through sum and y (pre-norm)",
          "[grad]") {
  const Fixture fixture;
  for (const Reads reads : {Reads::y, Reads::sum_and_y}) {
    for (const int64_t T : {1, 7, 33}) {
      const std::vector<Tensor> inputs{random_f64({T, kDim}, 1), random_f64({T, kDim}, 2)};
      const Worst difference = block_gradient_error(fixture.store, fixture.residual(reads), inputs);
      const Worst witness =
          witness_error(fixture.store, fixture.residual(reads), Fixture::residual_witness(reads), inputs);
      INFO("T " << T << ": " << difference.of << ", against primitive nodes: " << witness.of);
      CHECK(difference.error <= 1e-6);
      CHECK(witness.error <= 1e-12);
    }
  }
}

TEST_CASE("Norm behind a residual: a value that is both summand and branch gets both gradients", "[grad]") {
  const Fixture fixture;
  const Block f = [&](ForwardContext& context, const Variables& x) {
    return fixture.residual(Reads::sum_and_y)(context, {x[0], x[0]});
  };
  const Worst worst = block_gradient_error(fixture.store, f, {random_f64({7, kDim}, 1)});
  INFO(worst.of);
  CHECK(worst.error <= 1e-6);
}

TEST_CASE("Norm: parameter gradients accumulate and need no input gradient", "[unit]") {
  const Fixture fixture;
  const std::vector<Tensor> inputs{random_f64({7, kDim}, 1), random_f64({7, kDim}, 2)};
  const Block f = fixture.residual(Reads::sum_and_y);
  CHECK(accumulates(fixture.store, f, inputs));
  CHECK(constants_change_nothing(fixture.store, f, inputs));
}

TEST_CASE("Norm behind a residual: the same rows of an update are dropped however it is cut", "[unit]") {
  // Rows 0..12 of an update at once, and as rows 0..4 and 5..12; elementwise arithmetic, so bit for
  // bit.
  ParameterStore store;
  const Norm norm(store, "n", kDim);
  store.allocate(Device::cpu(), ParameterStore::Gradients::no);
  randomise(store);
  const Tensor x = random_tensor({13, kDim}, DType::f32, 1), s = random_tensor({13, kDim}, DType::f32, 2);
  Arena arena(Device::cpu(), kTestArena);
  Tape tape(arena, Tape::Mode::inference);
  ForwardContext context{.tape = tape, .training = true, .seed = 77};
  const auto run = [&](int32_t begin, int32_t end) {
    const kernels::Dropout dropout = context.dropout(kBlockDropout, 3, tokens_of({0, 1}, 60, begin));
    return norm.forward_residual(context, x.slice_rows(begin, end), s.slice_rows(begin, end), dropout);
  };
  const Norm::Sum whole = run(0, 13);
  for (const auto& [begin, end] : {std::pair{0, 5}, {5, 13}}) {
    const Norm::Sum part = run(begin, end);
    CHECK(same_bits(part.sum.value(), whole.sum.value().slice_rows(begin, end)));
    CHECK(same_bits(part.y.value(), whole.y.value().slice_rows(begin, end)));
  }
}

TEST_CASE("Norm: what is added to the variance is its own, alone and behind a residual", "[unit]") {
  constexpr float kEpsilon = 0.5f;
  ParameterStore store{DType::f64};
  const Norm block{store, "n", kDim, kEpsilon};
  store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
  randomise(store);
  const auto norm_of = [](Tape& tape, const Leaves& p, const Variable& x) {
    return autograd::layer_norm(tape, x, p.at("n.weight"), p.at("n.bias"), kEpsilon);
  };
  const Block alone = [&](ForwardContext& context, const Variables& x) {
    return block.forward(context, x[0]);
  };
  const Witness of_alone = [=](Tape& tape, const Leaves& p, const Variables& x) {
    return norm_of(tape, p, x[0]);
  };
  CHECK(witness_error(store, alone, of_alone, {random_f64({7, kDim}, 1)}).error <= 1e-12);
  const Block behind = [&](ForwardContext& context, const Variables& x) {
    return block.forward_residual(context, x[0], x[1], {}).y;
  };
  const Witness of_sum = [=](Tape& tape, const Leaves& p, const Variables& x) {
    return norm_of(tape, p, autograd::add(tape, x[0], x[1]));
  };
  CHECK(witness_error(store, behind, of_sum, {random_f64({7, kDim}, 1), random_f64({7, kDim}, 2)}).error <=
        1e-12);
}
