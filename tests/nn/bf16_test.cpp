// A bf16 model on the CPU against the same model in f64 and f32. CUDA's twin: cuda_test.cpp.
#include <numeric>

#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

TransformerConfig small_config(NormPlacement norm, int64_t max_length,
                               kernels::Activation activation = kernels::Activation::relu) {
  TransformerConfig config = tiny_config();
  config.dim = 32;
  config.heads = 2;
  config.feed_forward = 48;
  config.norm = norm;
  config.activation = activation;
  config.max_length = max_length;
  return config;
}

PackedBatch batch_of(int64_t update) {
  const auto u = static_cast<int32_t>(update);
  return random_batch({5 + u % 3, 1, 9, 3}, {4, 2 + u % 5, 1, 11}, 13, 17, static_cast<uint64_t>(update));
}

struct Training {
  std::vector<double> losses;
  Tensor masters;
};

Training train(DType dtype, int64_t updates, const TransformerConfig& config) {
  TinyModel model(dtype, config);
  TrainerOptions options;
  options.schedule = {.peak = 3e-3, .warmup = 10};
  options.clip_norm = 1;
  options.seed = 42;
  Trainer trainer(model.transformer, model.store, model.arena, options);
  Training training;
  for (int64_t u = 1; u <= updates; ++u) {
    const UpdateResult result = trainer.update(u, [&] { return batch_of(u % 4); });
    training.losses.push_back(result.loss.smoothed / static_cast<double>(result.loss.tokens));
  }
  training.masters = model.store.masters();
  return training;
}

// Norm of the difference over norm of the expected.
double relative_distance(const std::vector<double>& actual, const std::vector<double>& expected) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  return std::sqrt(difference / norm);
}

}  // namespace

TEST_CASE("bf16: the gradient of a whole model agrees with f64", "[unit]") {
  // A hundred roundings of 2^-9 one after the other, on activations and on their gradients: 2 %.
  // With relu, one in some hundred activations is so near to 0 that rounding decides whether its
  // gradient passes: sqrt(1/500) = 5 %.
  for (const auto& [activation, tolerance] :
       {std::pair{kernels::Activation::gelu, 2e-2}, std::pair{kernels::Activation::swish, 2e-2},
        std::pair{kernels::Activation::relu, 8e-2}}) {
    for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
      for (const int64_t max_length : {60, 100}) {  // short and long attention
        const TransformerConfig config = small_config(norm, max_length, activation);
        TinyModel exact(DType::f64, config), rounded(DType::bf16, config);
        // the rounded values in both
        for (size_t i = 0; i < exact.store.parameters().size(); ++i) {
          const Parameter& to = exact.store.parameters()[i];
          to.value.copy_from(
              tensor_of(as_doubles(rounded.store.parameters()[i].value), to.shape, DType::f64));
        }
        const double expected = exact.accumulate({batch_of(1)});
        CHECK(rounded.accumulate({batch_of(1)}) == Approx(expected).epsilon(1e-2));
        INFO("norm " << static_cast<int>(norm) << ", max_length " << max_length);
        CHECK(relative_distance(as_doubles(rounded.store.gradients()), as_doubles(exact.store.gradients())) <
              tolerance);
      }
    }
  }
}

// One loss differs by less than 1e-2, as above. Once Adam has divided each gradient by its size,
// rounding that decides a sign moves two trainings apart by a whole step, and single losses by what
// no format bounds (on one processor 2 %, on another 4 %). A mistake in bf16 would show in their
// mean.
TEST_CASE("bf16: 40 updates, dropout on, follow f32 in the mean, and learn", "[unit]") {
  for (const int64_t max_length : {60, 100}) {
    const TransformerConfig config = small_config(NormPlacement::post, max_length);
    const Training f32 = train(DType::f32, 40, config), bf16 = train(DType::bf16, 40, config);
    for (size_t u = 0; u < 4; ++u) CHECK(bf16.losses[u] == Approx(f32.losses[u]).epsilon(1e-2));
    const auto mean = [](const std::vector<double>& losses) {
      return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
    };
    CHECK(mean(bf16.losses) == Approx(mean(f32.losses)).epsilon(1e-2));
    CHECK(bf16.losses.back() < 0.95 * bf16.losses.front());
  }
}

TEST_CASE("bf16: two runs give the same bits", "[unit]") {
  const TransformerConfig config = small_config(NormPlacement::pre, 60);
  const Training one = train(DType::bf16, 6, config), again = train(DType::bf16, 6, config);
  CHECK(one.losses == again.losses);
  CHECK(same_bits(one.masters, again.masters));
}

TEST_CASE("bf16: masters move by less than bf16 can tell", "[unit]") {
  // An update of 1e-4 beside a weight of 1 is below half of bf16's step, 2^-8: only the master
  // remembers.
  ParameterStore store(DType::bf16);
  const Parameter& weight = store.add("w", {16}, Init::ones());
  store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
  store.initialise(1);
  Adam adam(store, {}, 0);
  for (int64_t u = 1; u <= 100; ++u) {
    weight.gradient.copy_from(tensor_of(std::vector<double>(16, 1.0), {16}, DType::f32));
    adam.update(u, 1e-4, 1);
    if (u == 1) CHECK(as_doubles(weight.value)[0] == 1);
  }
  CHECK(as_doubles(weight.master)[0] == Approx(0.99).epsilon(1e-4));
  CHECK(as_doubles(weight.value)[0] == Approx(0.99).epsilon(1.0 / 256));
}
