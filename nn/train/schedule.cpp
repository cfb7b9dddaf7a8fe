#include "nn/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace xf::nn {

namespace {

constexpr double kSmallestCut = 1e-8;  // PyTorch's eps

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

// NaN is no score: neither a gain, nor a best that another would have to be better than.
bool gains(double score, double best, double threshold, bool higher_is_better) {
  if (std::isnan(score) || std::isnan(best)) return !std::isnan(score);
  return higher_is_better ? score > best * (1 + threshold) : score < best * (1 - threshold);
}

}  // namespace

double Schedule::at(int64_t update, const PlateauState& state) const {
  const auto u = static_cast<double>(update), w = static_cast<double>(warmup);
  const double top = peak * state.scale;
  if (update < warmup) return top * u / w;
  switch (decay) {
    case Decay::constant:
    case Decay::plateau: return top;
    case Decay::inverse_sqrt: return top * std::sqrt(std::max(w, 1.0) / u);
    case Decay::cosine: {
      const double span = std::max(static_cast<double>(total) - w, 1.0);
      const double done = std::clamp((u - w) / span, 0.0, 1.0);
      return 0.5 * top * (1 + std::cos(std::numbers::pi * done));
    }
  }
  return top;
}

PlateauState Schedule::validated(PlateauState state, int64_t epoch, double score,
                                 bool higher_is_better) const {
  if (decay != Decay::plateau || epoch < plateau.start_epoch) return state;
  if (state.validations++ == 0) state.best = kNoScore;
  if (gains(score, state.best, plateau.threshold, higher_is_better)) {
    state.best = score;
    state.without_gain = 0;
  } else if (++state.without_gain > plateau.patience) {
    state.without_gain = 0;
    if (peak * state.scale * (1 - plateau.factor) > kSmallestCut) state.scale *= plateau.factor;
  }
  return state;
}

Schedule noam(double factor, int64_t dim, int64_t warmup) {
  const auto D = static_cast<double>(dim), w = static_cast<double>(std::max<int64_t>(warmup, 1));
  return {.peak = factor / std::sqrt(D * w), .warmup = warmup, .decay = Decay::inverse_sqrt};
}

}  // namespace xf::nn
