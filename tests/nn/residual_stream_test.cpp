#include "nn/residual_stream.h"

#include "tests/nn/block_check.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

constexpr int64_t kTokens = 7, kDim = 5;

// Two sublayers, each of which multiplies by constants, and the stream past them.
struct Fixture {
  ParameterStore store{DType::f64};
  TransformerConfig config{.dim = kDim};
  Sublayer first{store, "first", config}, second{store, "second", config};
  Norm last{store, "last", kDim};  // read in pre-norm only
  Tokens tokens = tokens_of({0, 3, kTokens}, 60, 40);
  Tensor factor1 = random_f64({kTokens, kDim}, 5), factor2 = random_f64({kTokens, kDim}, 6);

  explicit Fixture(NormPlacement placement) {
    config.norm = placement;
    config.dropout = kBlockDropout;
    store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
    randomise(store);
  }

  Variable stream(ForwardContext& context, const Variables& x) const {
    ResidualStream stream(context, config, x[0], first.norm);
    stream.add(times(context.tape, stream.normed(), factor1), first, &second.norm, tokens);
    stream.add(times(context.tape, stream.normed(), factor2), second, &last, tokens);
    return stream.normed();
  }

  Variable witness(Tape& tape, const Leaves& parameters, const Variables& x) const {
    const auto norm = [&](const std::string& name, const Variable& of) {
      return autograd::layer_norm(tape, of, parameters.at(name + ".weight"), parameters.at(name + ".bias"),
                                  kLayerNormEps);
    };
    const auto drop = [&](const Variable& of, uint32_t site) {
      return autograd::dropout(tape, of, {kBlockDropout, 77, site, tokens.counter});
    };
    const auto branch1 = [&](const Variable& of) { return drop(times(tape, of, factor1), first.site); };
    const auto branch2 = [&](const Variable& of) { return drop(times(tape, of, factor2), second.site); };
    if (config.norm == NormPlacement::post) {
      const Variable y = norm("first.norm", autograd::add(tape, x[0], branch1(x[0])));
      return norm("second.norm", autograd::add(tape, y, branch2(y)));
    }
    const Variable y = autograd::add(tape, x[0], branch1(norm("first.norm", x[0])));
    return norm("last", autograd::add(tape, y, branch2(norm("second.norm", y))));
  }
};

}  // namespace

TEST_CASE("ResidualStream: gradients with dropout and agreement with primitive nodes, post-norm and pre-norm",
          "[grad]") {
  const auto placement = GENERATE(NormPlacement::post, NormPlacement::pre);
  const Fixture fixture(placement);
  const Block f = [&](ForwardContext& context, const Variables& x) { return fixture.stream(context, x); };
  const Witness plain = [&](Tape& tape, const Leaves& parameters, const Variables& x) {
    return fixture.witness(tape, parameters, x);
  };
  const std::vector<Tensor> inputs{random_f64({kTokens, kDim}, 1)};
  const Worst difference = block_gradient_error(fixture.store, f, inputs);
  INFO((placement == NormPlacement::post ? "post" : "pre") << ": " << difference.of);
  CHECK(difference.error <= 1e-6);
  const Worst witness = witness_error(fixture.store, f, plain, inputs);
  INFO("against primitive nodes: " << witness.of);
  CHECK(witness.error <= 1e-12);
}
