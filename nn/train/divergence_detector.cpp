#include "nn/train/divergence_detector.h"

#include <algorithm>
#include <cmath>

namespace xf::nn {

namespace {

constexpr int64_t kFast = 10, kSlow = 1000;       // updates of the two means
constexpr int64_t kUpdatesBeforeJudgement = 100;  // the means know little before
constexpr int64_t kFirstJudged = 5;               // beside the first loss: a single one may be high
constexpr double kDeviations = 5;

// The mean of the first `length` values, then one that forgets with that length.
void average_in(double& mean, double value, int64_t count, int64_t length) {
  mean += (value - mean) / static_cast<double>(std::min(count, length));
}

}  // namespace

// The deviation is that about the fast mean: about the slow one it would count the fall of the loss
// as noise. And what is more than three deviations away counts as three: a loss that runs away must
// not widen the band that it leaves.
void track_loss(TrainingState& state, int64_t update, double loss) {
  if (std::isnan(state.slow_loss)) state.first_loss = state.fast_loss = state.slow_loss = loss;
  average_in(state.fast_loss, loss, update, kFast);
  average_in(state.slow_loss, loss, update, kSlow);
  double squared = (loss - state.fast_loss) * (loss - state.fast_loss);
  if (update > kUpdatesBeforeJudgement) squared = std::min(squared, 9 * state.loss_variance);
  average_in(state.loss_variance, squared, update, kSlow);
  if (state.fast_loss <= state.slow_loss && !loss_diverges(state, update)) state.last_stable_update = update;
}

// An explosion among the first updates is in every mean and every deviation: it shows beside the
// first loss alone, which the state of an earlier version lacks (NaN: not above).
bool loss_diverges(const TrainingState& state, int64_t update) {
  if (update >= kFirstJudged && state.fast_loss > 2 * state.first_loss + 2) return true;
  return update >= kUpdatesBeforeJudgement &&
         state.fast_loss - state.slow_loss > kDeviations * std::sqrt(state.loss_variance);
}

double reference_loss(const TrainingState& state) { return std::fmin(state.first_loss, state.slow_loss); }

}  // namespace xf::nn
