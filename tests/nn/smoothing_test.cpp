#include "nn/train/smoothing.h"

#include <algorithm>

#include "nn/train/trainer.h"
#include "tests/data/errors.h"
#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"
#include "tests/support/thread_ranks.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

TrainerOptions smoothed(double share) {
  TrainerOptions options;
  options.schedule = {.peak = 3e-3};
  options.smoothing = share;
  return options;
}

PackedBatch batch_of(int64_t update) {
  return random_batch({5, 6}, {4, 7}, 13, 17, static_cast<uint64_t>(update));
}

}  // namespace

TEST_CASE("Smoothing: the mean follows its recurrence, and the weights do not notice", "[unit]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    TinyModel model(dtype, tiny_config()), plain_model(dtype, tiny_config());
    Trainer trainer(model.transformer, model.store, model.arena, smoothed(0.3));
    Trainer plain(plain_model.transformer, plain_model.store, plain_model.arena, smoothed(0));
    CHECK(plain.smoothing() == nullptr);
    trainer.smoothing()->begin();
    std::vector<double> mean = as_doubles(model.store.masters());
    for (int64_t update = 1; update <= 30; ++update) {
      trainer.update(update, [&] { return batch_of(update); });
      plain.update(update, [&] { return batch_of(update); });
      const std::vector<double> weights = as_doubles(model.store.masters());
      const double share =
          std::max(0.3, 9 / (10 + static_cast<double>(update)));  // 9 / (10 + t) until t = 20
      for (size_t i = 0; i < mean.size(); ++i) mean[i] += share * (weights[i] - mean[i]);
    }
    CHECK(max_relative_error(trainer.smoothing()->mean(), mean) < (dtype == DType::f64 ? 1e-12 : 1e-5));
    CHECK(same_bits(model.store.masters(), plain_model.store.masters()));
  }
}

TEST_CASE("Smoothing: weights and mean change places, and back, in all that reads them", "[unit]") {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    TinyModel model(dtype, tiny_config());
    Trainer trainer(model.transformer, model.store, model.arena, smoothed(0.3));
    trainer.smoothing()->begin();
    for (int64_t update = 1; update <= 3; ++update) trainer.update(update, [&] { return batch_of(update); });
    const auto weights = as_doubles(model.store.masters()), values = as_doubles(model.store.values()),
               mean = as_doubles(trainer.smoothing()->mean());
    REQUIRE(weights != mean);
    {
      const SmoothedWeights used(trainer.smoothing());
      CHECK(as_doubles(model.store.masters()) == mean);
      CHECK(as_doubles(trainer.smoothing()->mean()) == weights);
      CHECK(as_doubles(model.store.values()) != values);
    }
    CHECK(as_doubles(model.store.masters()) == weights);
    CHECK(as_doubles(model.store.values()) == values);
    CHECK(as_doubles(trainer.smoothing()->mean()) == mean);
  }
  const SmoothedWeights nothing(nullptr);
}

TEST_CASE("Smoothing: where a rank is lost while the mean is used the others end with an error", "[unit]") {
  for (const bool fails_too : {false, true}) {
    as_ranks(2, [fails_too](Collective& ranks) {
      TinyModel model(DType::bf16, tiny_config(), Arena::kDefaultBlock, Device::cpu(), {}, ranks);
      const Smoothing smoothing(model.store, 0.3, ranks);
      const std::string error = error_of([&] {
        const SmoothedWeights used(&smoothing);
        if (ranks.rank() == 1) ranks.report_error(Error(ErrorKind::resources, "no room"));
        if (fails_too) fail(ErrorKind::data, "something else");
      });
      if (ranks.rank() == 0 &&
          error.find(fails_too ? "3: something else" : "): no room") == std::string::npos)
        fail(ErrorKind::failure, "rank 0 has said: {}", error);
    });
  }
}
