#include "nn/train/due.h"

#include <algorithm>
#include <cmath>

namespace xf::nn {

namespace {

double count_of(const TrainingState& state, Amount::Unit unit) {
  switch (unit) {
    case Amount::Unit::updates: return static_cast<double>(state.update);
    case Amount::Unit::epochs: return static_cast<double>(state.epoch);
    case Amount::Unit::target_tokens: return static_cast<double>(state.target_tokens);
    case Amount::Unit::seconds: return state.seconds;
  }
  return 0;
}

}  // namespace

bool due(const Amount& every, const TrainingState& state) {
  if (every.count <= 0 || state.update == 0) return false;
  const auto crossed = [&](double before, double now) {
    return std::floor(now / every.count) > std::floor(before / every.count);
  };
  switch (every.unit) {
    case Amount::Unit::updates:
      return crossed(static_cast<double>(state.update - 1), static_cast<double>(state.update));
    case Amount::Unit::epochs:
      return crossed(static_cast<double>(state.previous_epoch), static_cast<double>(state.epoch));
    case Amount::Unit::target_tokens:
      return crossed(static_cast<double>(state.previous_tokens), static_cast<double>(state.target_tokens));
    case Amount::Unit::seconds: return false;  // options refuse it: clocks do not repeat
  }
  return false;
}

bool reached(const LoopOptions& options, const TrainingState& state) {
  return std::any_of(options.after.begin(), options.after.end(),
                     [&](const Amount& limit) { return count_of(state, limit.unit) >= limit.count; });
}

std::optional<double> progress(const LoopOptions& options, const TrainingState& state, int64_t sentences) {
  std::optional<double> most;
  for (const Amount& limit : options.after) {
    if (limit.count <= 0) continue;
    double count = count_of(state, limit.unit);
    if (limit.unit == Amount::Unit::epochs && sentences > 0)
      count += static_cast<double>(state.position) / static_cast<double>(sentences);
    most = std::max(most.value_or(0), std::min(1.0, count / limit.count));
  }
  return most;
}

}  // namespace xf::nn
