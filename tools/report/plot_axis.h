// The axes of a plot: where they end, their ticks, and from data to pixels.
#pragma once

#include <string>
#include <vector>

namespace xf::tools {

// Round numbers (1, 2 or 5 times a power of ten apart) that cover [low, high]: the first is <= low,
// the last >= high. About `wanted` of them.
std::vector<double> nice_ticks(double low, double high, int wanted);

enum class Scale { linear, logarithmic };

// Ends at round numbers below and above the data.
class PlotAxis {
 public:
  // low <= high, both positive if logarithmic; a constant gets room around it. `pixel_low` is where
  // the lower end lies. About `wanted` ticks if linear; if logarithmic, 1, 2 and 5 times each power
  // of ten, or of many powers these alone.
  PlotAxis(Scale scale, double low, double high, int wanted, double pixel_low, double pixel_high);

  double operator()(double value) const;
  const std::vector<double>& ticks() const { return ticks_; }
  std::string label(double tick) const;
  double pixel_low() const { return pixel_low_; }
  double pixel_high() const { return pixel_high_; }

 private:
  double share(double value) const;  // 0 at the lower end, 1 at the upper

  Scale scale_;
  double low_ = 0, high_ = 1;
  std::vector<double> ticks_;
  double pixel_low_, pixel_high_;
};

}  // namespace xf::tools
