// The model and its training on a CUDA device, real or the software GPU, against the CPU backend.
// The same code runs on both; what may differ is the order in which products are summed.
#include <algorithm>
#include <cmath>

#include "core/graph.h"
#include "core/side_stream.h"
#include "kernels/elementwise.h"
#include "kernels/matmul.h"
#include "nn/classifier.h"
#include "nn/decode/search.h"
#include "nn/language_model.h"
#include "nn/train/memory_plan.h"
#include "nn/train/r_drop.h"
#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"
#include "tests/support/targets.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

const Device kCuda = Device::cuda();

TransformerConfig small_config(int64_t max_length = 60) {
  TransformerConfig config = tiny_config();
  config.dim = 32;
  config.heads = 2;
  config.feed_forward = 48;
  config.encoder_layers = config.decoder_layers = 1;
  config.max_length = max_length;
  return config;
}

// Another batch for each update, all within kCapacity.
constexpr BatchSize kCapacity{.source_tokens = 40, .target_tokens = 40, .sentences = 7};
PackedBatch batch_of(int64_t update) {
  const auto u = static_cast<int32_t>(update);
  return random_batch({5 + u % 3, 1, 9, 3}, {4, 2 + u % 5, 1, 11}, 13, 17, static_cast<uint64_t>(update));
}

constexpr Schedule kSchedule{.peak = 3e-3, .warmup = 10};

struct Training {
  std::vector<double> losses, norms;
  Tensor masters;
};

using Change = std::function<void(TrainerOptions&)>;

// Of a Transformer, unless it is of another model. `ahead`: updates are started this many at a time
// before anybody waits for their losses.
template <typename Model = Transformer>
Training train(
    Device device, DType dtype, int64_t updates, const TransformerConfig& config,
    const BatchSize& capacity = {}, const std::function<PackedBatch(int64_t)>& next = batch_of,
    int64_t ahead = 1, const Change& change = [](TrainerOptions&) {}) {
  Tiny<Model> model(dtype, config, Arena::kDefaultBlock, device);
  TrainerOptions options;
  options.schedule = kSchedule;
  options.clip_norm = 1;
  options.micro_batches = 2;
  options.seed = 42;
  options.capacity = capacity;
  change(options);
  Trainer trainer(model.model, model.store, model.arena, options);
  Training training;
  for (int64_t u = 1; u <= updates; ++u) {
    trainer.start(u, [&] { return next(u); });
    if (u % ahead != 0 && u != updates) continue;
    for (const UpdateResult& result : trainer.finished()) {
      training.losses.push_back(result.loss.smoothed / static_cast<double>(result.loss.tokens));
      training.norms.push_back(result.gradient_norm);
    }
  }
  training.masters = model.store.masters().to(Device::cpu());
  return training;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (size_t i = 0; i < b.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]) / std::abs(b[i]));
  return worst;
}

// How far apart, relative to a loss, rounding may take the losses of two f32 trainings that sum in
// another order. A sum of n terms rounds by about sqrt(n) u, u = 2^-24 (Higham and Mary 2019, SIAM
// J. Sci. Comput. 41, A2815), and `depth` of them stand in a row between the parameters and a
// gradient: |dg| <= e |g| with e = depth sqrt(n) u. Adam moves parameter i by about lr g_i / |g_i|,
// so that an error dg_i moves it by about lr dg_i / |g_i| more, and this the loss by lr dg_i: over
// all parameters, whose errors have no common sign, by lr |dg|, and over all updates by the sum of
// lr e |g|. Ten times that leaves room for what the first order leaves out.
double rounding_of_losses(const Training& run, const TransformerConfig& config) {
  // Products and norms of an encoder and a decoder layer: 4 + 2 + 2 and 8 + 2 + 3; the logits;
  // twice, for backward.
  constexpr double kDepth = 2 * (8 + 13 + 1), kRoundOff = 0x1p-24, kRoom = 10;
  const auto longest_sum = static_cast<double>(std::max(config.feed_forward, kCapacity.target_tokens));
  double rates = 0;
  for (size_t u = 1; u <= run.losses.size(); ++u) rates += kSchedule.at(static_cast<int64_t>(u));
  const double gradient = *std::max_element(run.norms.begin(), run.norms.end());
  const double loss = *std::min_element(run.losses.begin(), run.losses.end());
  return kRoom * rates * kDepth * std::sqrt(longest_sum) * kRoundOff * gradient / loss;
}

}  // namespace

TEST_CASE("CUDA: 30 updates have the CPU's losses but for rounding, dropout on, eager and as a graph",
          "[cuda]") {
  for (const int64_t max_length : {60, 100}) {  // short and long attention
    const TransformerConfig config = small_config(max_length);
    const Training cpu = train(Device::cpu(), DType::f32, 30, config);
    const double rounding = rounding_of_losses(cpu, config);
    CHECK(rounding < 1e-4);  // a wrong kernel shows in percents
    // The estimate holds for the CPU's own rounding, too.
    CHECK(largest_difference(cpu.losses, train(Device::cpu(), DType::f64, 30, config).losses) < rounding);
    for (const BatchSize& capacity : {BatchSize{}, kCapacity}) {
      const Training cuda = train(kCuda, DType::f32, 30, config, capacity);
      INFO("max_length " << max_length << ", capacity " << capacity.target_tokens);
      CHECK(largest_difference(cuda.losses, cpu.losses) < rounding);
      // curvature in place of slope
      CHECK(largest_difference(cuda.norms, cpu.norms) < 10 * rounding);
    }
    CHECK(cpu.losses.back() < 0.98 * cpu.losses.front());  // it learns
  }
}

TEST_CASE("CUDA: R-Drop that begins late has the CPU's losses but for rounding", "[cuda]") {
  const TransformerConfig config = small_config();
  const auto run = [&](Device device, const BatchSize& capacity, int64_t ahead) {
    return train(device, DType::f32, 12, config, capacity, batch_of, ahead,
                 [](TrainerOptions& options) { options.method = r_drop(2, 6); });
  };
  const Training cpu = run(Device::cpu(), {}, 1);
  CHECK(cpu.losses[6] > 1.02 * cpu.losses[5]);  // by the divergence
  const double rounding = rounding_of_losses(cpu, config);
  const Training eager = run(kCuda, {}, 1), replayed = run(kCuda, kCapacity, 5);
  for (const Training* cuda : {&eager, &replayed}) {
    CHECK(largest_difference(cuda->losses, cpu.losses) < rounding);
    CHECK(largest_difference(cuda->norms, cpu.norms) < 10 * rounding);
  }
}

TEST_CASE("CUDA: updates are replayed before R-Drop begins and after", "[cuda]") {
  TinyModel model(DType::f32, small_config(), Arena::kDefaultBlock, kCuda);
  TrainerOptions options;
  options.schedule = kSchedule;
  options.capacity = kCapacity;
  options.method = r_drop(2, 3);
  Trainer trainer(model.transformer, model.store, model.arena, options);
  const auto update = [&](int64_t u) { trainer.update(u, [&] { return batch_of(u); }); };
  for (const int64_t u : {1, 2, 3}) update(u);
  const std::vector<std::string> before = trainer.launches();
  CHECK(before.size() > 50);
  for (const int64_t u : {4, 5, 6}) update(u);
  const std::vector<std::string> after = trainer.launches();
  const auto pairs = [](const std::vector<std::string>& names) {
    return std::ranges::count_if(
        names, [](const std::string& name) { return name.find("pairs_of_rows") != std::string::npos; });
  };
  CHECK(pairs(before) == 0);
  CHECK(pairs(after) == 1);
  CHECK(after.size() >= before.size());
}

TEST_CASE("CUDA: a language model and a classifier have the CPU's losses but for rounding", "[cuda]") {
  TransformerConfig config = small_config();
  const auto check = [&](const auto& train_on, const BatchSize& largest) {
    const Training cpu = train_on(Device::cpu(), BatchSize{});
    const double rounding = rounding_of_losses(cpu, config);
    for (const BatchSize& capacity : {BatchSize{}, largest}) {
      const Training cuda = train_on(kCuda, capacity);
      INFO("type " << static_cast<int>(config.type) << ", capacity " << capacity.target_tokens);
      CHECK(largest_difference(cuda.losses, cpu.losses) < rounding);
      CHECK(largest_difference(cuda.norms, cpu.norms) < 10 * rounding);
    }
  };
  const auto lines = [](int64_t update) {
    PackedBatch batch = batch_of(update);
    batch.source_ids = batch.source_positions = batch.source_order = batch.source_offsets = Tensor();
    batch.source_tokens = batch.longest_source = 0;
    return batch;
  };
  const auto texts = [](int64_t update) {
    const auto u = static_cast<int32_t>(update);
    PackedBatch batch =
        random_batch({5 + u % 3, 1, 9, 3}, {1, 1, 1, 1}, 13, 13, static_cast<uint64_t>(update));
    batch.target_out = Tensor::from(Ids{0, u % 3, 2, 1});
    return batch;
  };
  config.type = ModelType::language_model;
  check(
      [&](Device device, const BatchSize& capacity) {
        return train<LanguageModel>(device, DType::f32, 10, config, capacity, lines);
      },
      {.source_tokens = 0, .target_tokens = 40, .sentences = 7});
  config.type = ModelType::classification;
  config.target_vocabulary = 3;
  check(
      [&](Device device, const BatchSize& capacity) {
        return train<Classifier>(device, DType::f32, 10, config, capacity, texts);
      },
      {.source_tokens = 40, .target_tokens = 7, .sentences = 7});
}

TEST_CASE("CUDA: a captured graph gives the bits of the eager run", "[cuda]") {
  // Batches that fill the capacity, so that both have the same shapes.
  const auto full = [](int64_t update) {
    return random_batch({9, 8, 3}, {4, 5, 11}, 13, 17, static_cast<uint64_t>(update));
  };
  const BatchSize exact{.source_tokens = 20, .target_tokens = 20, .sentences = 3};
  TransformerConfig config = small_config();
  std::tie(config.learned_positions, config.rotary_positions) =
      GENERATE(std::pair{false, false}, std::pair{true, false}, std::pair{false, true});
  const OptimizerOptions optimizer = GENERATE(OptimizerOptions(kernels::AdamOptions{}),
                                              OptimizerOptions(kernels::SgdOptions{.momentum = 0.9f}),
                                              OptimizerOptions(MuonAndAdamOptions{}));
  const auto with_optimizer = [&](TrainerOptions& options) { options.optimizer = optimizer; };
  const Training eager = train(kCuda, DType::f32, 6, config, {}, full, 1, with_optimizer);
  const Training graph = train(kCuda, DType::f32, 6, config, exact, full, 1, with_optimizer);
  CHECK(graph.losses == eager.losses);
  CHECK(same_bits(graph.masters, eager.masters));
}

TEST_CASE("CUDA: a captured graph of a batch that is read twice gives the bits of the eager run", "[cuda]") {
  const auto full = [](int64_t update) {
    return random_batch({9, 8, 3}, {4, 5, 11}, 13, 17, static_cast<uint64_t>(update));
  };
  const auto run = [&](const BatchSize& capacity) {
    return train(kCuda, DType::f32, 6, small_config(), capacity, full, 1,
                 [](TrainerOptions& options) { options.method = r_drop(2); });
  };
  const Training eager = run({}), graph = run({.source_tokens = 20, .target_tokens = 20, .sentences = 3});
  CHECK(graph.losses == eager.losses);
  CHECK(same_bits(graph.masters, eager.masters));
}

// Integers in f32, so that a sum that came too early or too late is another one.
TEST_CASE(
    "CUDA: work beside comes behind what was queued before it, and in front of what is queued behind join",
    "[cuda]") {
  using kernels::add_in_place;
  const auto run = [](Device device, bool as_graph) {
    const Tensor one = Tensor::from(std::vector<float>(3000, 1)).to(device);
    std::vector<Tensor> sums(4);
    for (Tensor& sum : sums) sum = Tensor::from(std::vector<float>(3000, 0)).to(device);
    const auto work = [&] {
      add_in_place(one, sums[0]);
      add_in_place(sums[0], sums[0]);
      run_on_side_stream(device, {sums[0]}, [&] { add_in_place(sums[0], sums[1]); });
      add_in_place(sums[0], sums[2]);
      run_on_side_stream(device, {sums[2]},
                         // behind the first, as all from here on
                         [&] { add_in_place(sums[2], sums[3]); });
      add_in_place(sums[1], sums[0]);
      join_side_stream(device);
      add_in_place(sums[3], sums[2]);
    };
    Graph graph;
    for (int i = 0; i < 5; ++i) as_graph ? graph.run(device, work) : work();
    std::vector<std::vector<float>> values;
    for (const Tensor& sum : sums) values.push_back(sum.to_vector<float>());
    return values;
  };
  const auto expected = run(Device::cpu(), false);
  CHECK(run(kCuda, false) == expected);
  CHECK(run(kCuda, true) == expected);
}

TEST_CASE("CUDA: updates that nobody waits for give the bits of those waited for one by one", "[cuda]") {
  const Training waited = train(kCuda, DType::f32, 7, small_config(), kCapacity);
  const Training ahead = train(kCuda, DType::f32, 7, small_config(), kCapacity, batch_of, 5);
  CHECK(ahead.losses == waited.losses);
  CHECK(ahead.norms == waited.norms);
  CHECK(same_bits(ahead.masters, waited.masters));
}

TEST_CASE("CUDA: two runs give the same bits", "[cuda]") {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    const Training one = train(kCuda, dtype, 6, small_config(), kCapacity);
    const Training again = train(kCuda, dtype, 6, small_config(), kCapacity);
    CHECK(one.losses == again.losses);
    CHECK(same_bits(one.masters, again.masters));
  }
}

TEST_CASE("CUDA: bf16 training follows f32", "[cuda]") {
  for (const int64_t max_length : {60, 100}) {
    const Training f32 = train(Device::cpu(), DType::f32, 20, small_config(max_length));
    const Training bf16 = train(kCuda, DType::bf16, 20, small_config(max_length), kCapacity);
    CHECK(largest_difference(bf16.losses, f32.losses) < 2e-2);
  }
}

TEST_CASE("CUDA: training with products in TF32 follows f32", "[cuda]") {
  const Training f32 = train(kCuda, DType::f32, 20, small_config(), kCapacity);
  kernels::round_products_to_tf32(true);
  const Training tf32 = train(kCuda, DType::f32, 20, small_config(), kCapacity);
  kernels::round_products_to_tf32(false);
  CHECK(tf32.losses != f32.losses);
  CHECK(largest_difference(tf32.losses, f32.losses) < 2e-3);
}

TEST_CASE("CUDA: every parameter's gradient agrees with f64 on the CPU", "[cuda]") {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    for (const int64_t max_length : {60, 100}) {
      TransformerConfig config = small_config(max_length);
      config.norm = norm;
      config.activation = norm == NormPlacement::pre ? kernels::Activation::gelu : kernels::Activation::relu;
      config.learned_positions = norm == NormPlacement::pre;
      config.rotary_positions = norm == NormPlacement::post && max_length == 100;
      TinyModel exact(DType::f64, config), cuda(DType::f32, config, Arena::kDefaultBlock, kCuda);
      for (size_t i = 0; i < exact.store.parameters().size(); ++i) {  // f32 values in both
        const Parameter& to = exact.store.parameters()[i];
        to.value.copy_from(tensor_of(as_doubles(cuda.store.parameters()[i].value), to.shape, DType::f64));
      }
      exact.accumulate({batch_of(1)});
      cuda.accumulate({batch_of(1)});
      double global = 0;
      for (const double g : as_doubles(exact.store.gradients())) global += g * g;
      for (const Parameter& parameter : exact.store.parameters()) {
        INFO(parameter.name);
        CHECK(max_relative_error(cuda.store.find(parameter.name).gradient, as_doubles(parameter.gradient),
                                 1e-7 * std::sqrt(global)) < 2e-4);
      }
    }
  }
}

// Where chunks of logits are larger than the CPU's, and their rows padded.
TEST_CASE("CUDA: the memory plan is exactly the arena's peak", "[cuda]") {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    INFO(name_of(dtype));
    const PackedBatch batch = random_batch(Ids(75, 10), Ids(75, 8), 13, 17, 3);
    const BatchSize size{batch.source_tokens, batch.target_tokens, batch.sentences};
    TinyModel model(dtype, small_config(), Arena::kDefaultBlock, kCuda);
    Trainer trainer(model.transformer, model.store, model.arena, {});
    trainer.update(1, [&] { return batch; });
    CHECK(plan_memory(small_config(), size, dtype, {}, DeviceType::cuda).activations ==
          model.arena.peak_bytes());
    CHECK(plan_memory(small_config(), size, dtype).activations < model.arena.peak_bytes());
  }
}

TEST_CASE("CUDA: beam search finds the CPU's translations", "[cuda]") {
  const auto translate = [](Device device) {
    TinyModel model(DType::f32, small_config(), Arena::kDefaultBlock, device);
    SearchOptions options;
    options.beam_size = options.n_best = 3;
    options.max_length = 20;
    options.bos = 1, options.eos = 2, options.pad = 0, options.unk = -1;
    return Search(model.transformer, model.arena, options).translate(batch_of(1));
  };
  const auto cpu = translate(Device::cpu()), cuda = translate(kCuda);
  REQUIRE(cuda.size() == cpu.size());
  for (size_t s = 0; s < cpu.size(); ++s) {
    REQUIRE(cuda[s].size() == cpu[s].size());
    for (size_t h = 0; h < cpu[s].size(); ++h) {
      CHECK(cuda[s][h].ids == cpu[s][h].ids);
      CHECK(cuda[s][h].score == Approx(cpu[s][h].score).epsilon(1e-5));
    }
  }
}
