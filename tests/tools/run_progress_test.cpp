#include "tools/report/run_progress.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "nn/train/r_drop.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::tools;

namespace {

// Two seconds an update, ten updates of ten sentences an epoch.
nn::TrainingState after(int64_t update) {
  nn::TrainingState state;
  state.update = update;
  state.epoch = update / 10;
  state.position = 10 * (update % 10);
  state.previous_epoch = (update - 1) / 10;
  state.seconds = 2.0 * static_cast<double>(update);
  return state;
}

const nn::LoopOptions kFourEpochs{.after = {{4, nn::TrainingLength::Unit::epochs}}};

}  // namespace

TEST_CASE("Run progress: the time left falls from update to update, in the first epoch too", "[unit]") {
  const RunProgress progress(kFourEpochs, {10, 100});
  for (const int64_t update : {1, 5, 9, 10, 11, 39}) {
    INFO("update " << update);
    CHECK(progress.at(after(update), {}).seconds_left == Approx(2.0 * static_cast<double>(40 - update)));
  }
  CHECK(progress.last_update(after(0)) == 40);
}

TEST_CASE("Run progress: updates of R-Drop take twice as long as those before", "[unit]") {
  // Ten updates of two seconds, then thirty of four.
  const auto seconds = [](int64_t update) {
    return 2.0 * static_cast<double>(update + std::max<int64_t>(0, update - 10));
  };
  RunProgress progress(kFourEpochs, {.updates_per_epoch = 10, .sentences = 100, .method = nn::r_drop(5, 10)});
  std::optional<double> told;
  for (int64_t update = 1; update <= 40; ++update) {
    INFO("update " << update);
    nn::TrainingState state = after(update);
    state.seconds = seconds(update);
    CHECK(progress.at(state, {}).seconds_left == Approx(seconds(40) - seconds(update)).margin(1e-9));
    if (const auto prediction = progress.prediction(state)) {
      CHECK(*prediction == Approx(seconds(40) - seconds(update)));
      told = prediction;
    }
  }
  CHECK(told.has_value());
  // Of a limit in tokens nothing is known of updates: the share of tokens stays the share of the
  // time.
  const nn::LoopOptions tokens{.after = {{1000, nn::TrainingLength::Unit::tokens}}};
  nn::TrainingState half;
  half.target_tokens = 500;
  half.seconds = 60;
  CHECK(RunProgress(tokens, {10, 100, nn::r_drop(5, 10)}).at(half, {}).seconds_left == Approx(60));
}

TEST_CASE("Run progress: an epoch has its number from its first update to its last", "[unit]") {
  const RunProgress progress(kFourEpochs, {10, 100});
  CHECK(progress.at(after(1), {}).epoch == 1);
  CHECK(progress.at(after(10), {}).epoch == 1);
  CHECK(progress.at(after(11), {}).epoch == 2);
}

TEST_CASE("Run progress: the time is predicted once, after ten updates, without what came before", "[unit]") {
  RunProgress progress(kFourEpochs, {10, 100});
  std::vector<int64_t> told;
  for (int64_t update = 5; update <= 20; ++update) {  // a resumed run, and its first update is slow
    nn::TrainingState state = after(update);
    state.seconds += 100;
    const auto seconds = progress.prediction(state);
    if (!seconds) continue;
    told.push_back(update);
    CHECK(*seconds == Approx(50));  // from update 15 on
  }
  CHECK(told == std::vector<int64_t>{15});
  const nn::LoopOptions no_limit;
  RunProgress endless(no_limit, {10, 100});
  for (int64_t update = 1; update <= 20; ++update) CHECK_FALSE(endless.prediction(after(update)).has_value());
}

TEST_CASE("Run progress: however many updates its epochs had, a run ends at the number that it made",
          "[unit]") {
  const RunProgress progress(kFourEpochs, {9.5, 100});  // an estimate: they had ten
  CHECK(progress.last_update(after(0)) == 38);
  CHECK(progress.last_update(after(39)) == 40);
  CHECK(progress.at(after(40), {}).last_update == 40);
}

TEST_CASE("Run progress: an epoch that is less than an update has an end all the same", "[unit]") {
  const nn::LoopOptions one{.after = {{1, nn::TrainingLength::Unit::epochs}}};
  CHECK(RunProgress(one, {0.1, 100}).last_update(nn::TrainingState{}) == 1);
}
