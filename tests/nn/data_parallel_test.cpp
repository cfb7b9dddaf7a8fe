// Several ranks, threads here, against one with as many micro-batches.
#include <cmath>
#include <limits>
#include <mutex>

#include "nn/train/r_drop.h"
#include "nn/train/trainer.h"
#include "tests/data/errors.h"
#include "tests/nn/tiny_model.h"
#include "tests/nn/trainer_options.h"
#include "tests/support/catch.h"
#include "tests/support/thread_ranks.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

constexpr int64_t kUpdates = 6;

// Sizes differ, so that a wrong place of a token has other dropout.
PackedBatch batch_of(int64_t number) {
  const auto n = static_cast<int32_t>(number);
  return random_batch({5 + n % 4, 1, 9 - n % 3}, {4, 2 + n % 5, 1}, 13, 17, static_cast<uint64_t>(number));
}

struct Run {
  std::vector<double> losses, norms;
  std::vector<int64_t> tokens;
  Tensor masters, values;  // whole; of the mean, where the weights are smoothed
  int64_t masters_kept = 0;
  TensorMap moments;
};

Tensor copy_of(const Tensor& values) {
  const Tensor copy = Tensor::empty(values.shape(), values.dtype());
  copy.copy_from(values);
  return copy;
}

using Change = std::function<void(TrainerOptions&)>;

// The encoder is frozen, and embeddings learn at another rate.
const std::vector<RateRule> kRates = {{"^encoder", 0, "freeze"}, {"embedding", 0.5f, "lr-multiplier"}};

Run train(DType dtype, Collective& ranks, int64_t micro_batches, const Change& change, bool skips = true,
          const std::vector<RateRule>& rates = {}) {
  TrainerOptions options = options_for_tests(micro_batches);
  options.ranks = &ranks;
  change(options);
  TinyModel model(dtype, tiny_config(), Arena::kDefaultBlock, Device::cpu(), rates,
                  options.shard_optimizer ? ranks : Collective::alone());
  Trainer trainer(model.transformer, model.store, model.arena, options);
  if (trainer.smoothing()) trainer.smoothing()->begin();
  Run run;
  int64_t next = 0;
  const auto skip = [&] {
    const PackedBatch batch = batch_of(next++);
    return BatchSize{batch.source_tokens, batch.target_tokens, batch.sentences};
  };
  for (int64_t u = 1; u <= kUpdates; ++u) {
    trainer.start(
        u, [&] { return batch_of(next++); }, {}, 1, skips ? skip : std::function<BatchSize()>());
    const UpdateResult result = trainer.finished().back();
    run.losses.push_back(result.loss.smoothed / static_cast<double>(result.loss.tokens));
    run.norms.push_back(result.gradient_norm);
    run.tokens.push_back(result.loss.tokens);
  }
  const SmoothedWeights used(trainer.smoothing());
  // `used` puts the weights back.
  run.masters = copy_of(trainer.optimizer().whole(model.store.masters()));
  run.values = copy_of(model.store.values());
  run.masters_kept = model.store.masters().numel();
  run.moments = trainer.optimizer().whole_state();
  return run;
}

std::vector<Run> train_ranks(DType dtype, int size, int64_t micro_batches, const Change& change,
                             bool skips = true, const std::vector<RateRule>& rates = {}) {
  std::vector<Run> runs(static_cast<size_t>(size));
  std::mutex mutex;
  as_ranks(size, [&](Collective& ranks) {
    Run run = train(dtype, ranks, micro_batches, change, skips, rates);
    const std::scoped_lock lock(mutex);
    runs[static_cast<size_t>(ranks.rank())] = std::move(run);
  });
  return runs;
}

// In f64, where another order of the sums is all but nothing.
void check_as_one(int size, int64_t micro_batches, const Change& change, bool skips = true,
                  const std::vector<RateRule>& rates = {}) {
  const auto whole = [&](TrainerOptions& options) {
    change(options);
    options.shard_optimizer = false;
  };
  const Run one = train(DType::f64, Collective::alone(), size * micro_batches, whole, true, rates);
  for (const Run& run : train_ranks(DType::f64, size, micro_batches, change, skips, rates)) {
    CHECK(max_relative_error(run.losses, one.losses) <= 1e-9);
    CHECK(max_relative_error(run.norms, one.norms) <= 1e-9);
    CHECK(run.tokens == one.tokens);
    CHECK(max_relative_error(run.masters, one.masters) <= 1e-9);
    for (const auto& [name, moment] : one.moments)
      CHECK(max_relative_error(run.moments.at(name), moment) <= 1e-9);
  }
}

}  // namespace

TEST_CASE("Ranks: losses, norms, weights and moments are those of one with as many micro-batches", "[unit]") {
  check_as_one(2, 1, [](TrainerOptions&) {});
  check_as_one(4, 1, [](TrainerOptions&) {});
  check_as_one(3, 2, [](TrainerOptions&) {});
  check_as_one(
      2, 1, [](TrainerOptions&) {}, false);
}

TEST_CASE("Ranks: so they are with R-Drop, smoothing, cut batches and any optimiser", "[unit]") {
  check_as_one(2, 2, [](TrainerOptions& options) { options.method = r_drop(1); });
  check_as_one(2, 2, [](TrainerOptions& options) {
    options.method = r_drop(1, 1);
    options.word_dropout = {.source = 0.2f, .target = 0.3f, .source_unknown = 1, .target_unknown = 1};
  });
  check_as_one(2, 1, [](TrainerOptions& options) { options.smoothing = 0.3; });
  check_as_one(2, 1, [](TrainerOptions& options) { options.capacity = {8, 8, 2}; });
  check_as_one(2, 1,
               [](TrainerOptions& options) { options.optimizer = kernels::SgdOptions{.momentum = 0.9f}; });
  check_as_one(2, 1, [](TrainerOptions& options) { options.optimizer = MuonAndAdamOptions{}; });
}

TEST_CASE("Ranks: each may keep a piece of the optimiser's state", "[unit]") {
  check_as_one(3, 1, [](TrainerOptions& options) { options.shard_optimizer = true; });
  check_as_one(2, 1, [](TrainerOptions& options) {
    options.shard_optimizer = true;
    options.optimizer = kernels::SgdOptions{.momentum = 0.9f};
  });
  for (const bool shards : {false, true})
    check_as_one(
        3, 1, [shards](TrainerOptions& options) { options.shard_optimizer = shards; }, true, kRates);
  as_ranks(2, [](Collective& ranks) {
    TinyModel model(DType::f32, tiny_config());
    const auto whole = make_optimizer(model.store, kernels::AdamOptions{}, 0);
    const auto piece = make_optimizer(model.store, kernels::AdamOptions{}, 0, ranks);
    if (2 * piece->bytes() > whole->bytes() + 16)
      fail(ErrorKind::failure, "no piece: {} bytes", piece->bytes());
    if (error_of([&] {
          make_optimizer(model.store, MuonAndAdamOptions{}, 0, ranks);
        }).find("muon needs whole matrices") == std::string::npos)
      fail(ErrorKind::failure, "muon was not refused");
  });
}

TEST_CASE("Ranks: each may keep a piece of a bf16 model's masters, with the bits of all of them", "[unit]") {
  for (const double smoothing : {0.0, 0.3}) {
    const auto runs = [smoothing](bool shards) {
      return train_ranks(DType::bf16, 3, 1, [=](TrainerOptions& options) {
        options.shard_optimizer = shards;
        options.smoothing = smoothing;
      });
    };
    const std::vector<Run> all = runs(false), pieces = runs(true);
    for (size_t r = 0; r < pieces.size(); ++r) {
      CHECK(pieces[r].masters_kept <= all[r].masters_kept / 3 + 1);
      CHECK(same_bits(pieces[r].masters, all[0].masters));
      CHECK(same_bits(pieces[r].values, all[0].values));
      CHECK(same_bits(pieces[r].moments.at("second_moment"), all[0].moments.at("second_moment")));
    }
  }
}

TEST_CASE("Ranks: all have the same bits, twice", "[unit]") {
  for (const bool shards : {false, true}) {
    const Change change = [shards](TrainerOptions& options) { options.shard_optimizer = shards; };
    const std::vector<Run> runs = train_ranks(DType::f32, 3, 1, change),
                           again = train_ranks(DType::f32, 3, 1, change);
    for (size_t r = 0; r < runs.size(); ++r) {
      CHECK(runs[r].losses == runs[0].losses);
      CHECK(same_bits(runs[r].masters, runs[0].masters));
      CHECK(same_bits(again[r].masters, runs[0].masters));
    }
  }
}

TEST_CASE("Ranks: where one has a gradient that is not finite none moves, and it is named", "[unit]") {
  as_ranks(2, [](Collective& ranks) {
    TinyModel model(DType::f32, tiny_config());
    if (ranks.rank() == 1)
      model.store.find("output.bias").value.data<float>()[3] = std::numeric_limits<float>::quiet_NaN();
    TrainerOptions options = options_for_tests(1);
    options.ranks = &ranks;
    const std::vector<float> before = model.store.masters().to_vector<float>();
    Trainer trainer(model.transformer, model.store, model.arena, options);
    int64_t next = 0;
    const UpdateResult result = trainer.update(1, [&] { return batch_of(next++); });
    if (std::isfinite(result.gradient_norm))
      fail(ErrorKind::failure, "rank {} has not seen it", ranks.rank());
    const std::string bad = trainer.first_bad_value(2, batch_of(0)).value_or("nothing");
    if (bad.find(", of rank 1 (") == std::string::npos) fail(ErrorKind::failure, "named: {}", bad);
    if (ranks.rank() == 1) return;
    if (model.store.masters().to_vector<float>() != before) fail(ErrorKind::failure, "rank 0 has moved");
  });
}
