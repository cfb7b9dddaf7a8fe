#include "nn/train/interval.h"

#include <algorithm>
#include <cmath>

namespace xf::nn {

namespace {

double count_of(const TrainingState& state, TrainingLength::Unit unit) {
  switch (unit) {
    case TrainingLength::Unit::updates: return static_cast<double>(state.update);
    case TrainingLength::Unit::epochs: return static_cast<double>(state.epoch);
    case TrainingLength::Unit::tokens: return static_cast<double>(state.target_tokens);
    case TrainingLength::Unit::hours: return state.seconds / 3600;
    case TrainingLength::Unit::minutes: return state.seconds / 60;
  }
  return 0;
}

}  // namespace

bool due(const TrainingLength& every, const TrainingState& state) {
  if (every.value <= 0 || state.update == 0) return false;
  const auto crossed = [&](double before, double now) {
    return std::floor(now / every.value) > std::floor(before / every.value);
  };
  switch (every.unit) {
    case TrainingLength::Unit::updates:
      return crossed(static_cast<double>(state.update - 1), static_cast<double>(state.update));
    case TrainingLength::Unit::epochs:
      return crossed(static_cast<double>(state.previous_epoch), static_cast<double>(state.epoch));
    case TrainingLength::Unit::tokens:
      return crossed(static_cast<double>(state.previous_tokens), static_cast<double>(state.target_tokens));
    case TrainingLength::Unit::hours:
    case TrainingLength::Unit::minutes: return false;  // options refuse it: clocks do not repeat
  }
  return false;
}

bool reached(const LoopOptions& options, const TrainingState& state) {
  return std::any_of(options.after.begin(), options.after.end(),
                     [&](const TrainingLength& limit) { return count_of(state, limit.unit) >= limit.value; });
}

std::optional<double> progress(const LoopOptions& options, const TrainingState& state, int64_t sentences) {
  std::optional<double> most;
  for (const TrainingLength& limit : options.after) {
    if (limit.value <= 0) continue;
    double count = count_of(state, limit.unit);
    if (limit.unit == TrainingLength::Unit::epochs && sentences > 0)
      count += static_cast<double>(state.position) / static_cast<double>(sentences);
    most = std::max(most.value_or(0), std::min(1.0, count / limit.value));
  }
  return most;
}

}  // namespace xf::nn
