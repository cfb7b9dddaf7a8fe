#include "nn/train/validation_progress.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace xf::nn {

namespace {

// By how much a score is better.
double gain_of(const MetricScore& score, double over) {
  return (score.value - over) * (score.higher_is_better ? 1 : -1);
}

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

// NaN is no score: neither a gain, nor a best that another would have to be better than.
bool gains(const MetricScore& score, double best, double epsilon) {
  return !std::isnan(score.value) && (std::isnan(best) || gain_of(score, best) > epsilon);
}

}  // namespace

bool is_best(const TrainingState& state, const MetricScore& first, double epsilon) {
  return gains(first, state.best_update == 0 ? kNoScore : state.best_score, epsilon);
}

bool equals_best(const TrainingState& state, const MetricScore& first) {
  return state.best_update > 0 && first.value == state.best_score;
}

std::vector<ScoredSave> runners_up_with(const TrainingState& state, const MetricScore& first, bool is_best,
                                        int64_t count) {
  std::vector<ScoredSave> saves = state.runners_up;
  if (is_best && state.best_update > 0) saves.insert(saves.begin(), {state.best_update, state.best_score});
  if (!is_best) saves.insert(saves.begin(), {state.update, first.value});
  std::erase_if(saves, [](const ScoredSave& save) { return std::isnan(save.score); });
  std::ranges::stable_sort(saves, [&](const ScoredSave& a, const ScoredSave& b) {
    return gain_of({first.metric, a.score, first.higher_is_better}, b.score) > 0;
  });
  saves.resize(std::min(saves.size(), static_cast<size_t>(count)));
  return saves;
}

std::vector<MetricProgress> followed(const std::vector<MetricProgress>& before,
                                     const std::vector<MetricScore>& scores, double epsilon, bool warming) {
  std::vector<MetricProgress> metrics;
  for (size_t i = 1; i < scores.size(); ++i) {
    const MetricScore& score = scores[i];
    const auto known = std::ranges::find(before, score.metric, &MetricProgress::metric);
    MetricProgress progress = known == before.end() ? MetricProgress{score.metric, kNoScore, 0} : *known;
    if (gains(score, progress.best, epsilon)) {
      progress = {score.metric, score.value, 0};
    } else if (!warming || score.value != progress.best) {
      ++progress.stalled;
    }
    metrics.push_back(progress);
  }
  return metrics;
}

int64_t same_scores_with(const TrainingState& state, const MetricScore& first) {
  if (state.best_update == 0) return std::isnan(first.value) ? 0 : 1;
  return equals_best(state, first) && state.same_scores > 0 ? state.same_scores + 1 : 0;
}

void forget_best(TrainingState& state) {
  state.best_update = state.stalled = state.same_scores = 0;
  state.runners_up.clear();
}

int64_t stalled(const LoopOptions& options, const TrainingState& state) {
  int64_t fewest = state.stalled, most = state.stalled;
  for (const MetricProgress& other : state.other_metrics) {
    fewest = std::min(fewest, other.stalled);
    most = std::max(most, other.stalled);
  }
  switch (options.early_stopping_on) {
    case LoopOptions::StoppingMetric::first: return state.stalled;
    case LoopOptions::StoppingMetric::any: return most;
    case LoopOptions::StoppingMetric::all: return fewest;
  }
  return state.stalled;
}

}  // namespace xf::nn
