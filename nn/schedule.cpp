#include "nn/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace xf::nn {

double Schedule::at(int64_t update) const {
  const auto u = static_cast<double>(update), w = static_cast<double>(warmup);
  if (update < warmup) return peak * u / w;
  switch (decay) {
    case Decay::constant: return peak;
    case Decay::inverse_sqrt: return peak * std::sqrt(std::max(w, 1.0) / u);
    case Decay::cosine: {
      const double span = std::max(static_cast<double>(total) - w, 1.0);
      const double done = std::clamp((u - w) / span, 0.0, 1.0);
      return 0.5 * peak * (1 + std::cos(std::numbers::pi * done));
    }
  }
  return peak;
}

}  // namespace xf::nn
