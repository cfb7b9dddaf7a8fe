#include "tools/report/plot_axis.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace xf::tools {

namespace {

// 1, 2 and 5 times each power of ten, from one that is surely below `low` up to that of `high`.
std::vector<double> round_numbers(double low, double high) {
  std::vector<double> numbers;
  for (double exponent = std::floor(std::log10(low)) - 1; std::pow(10, exponent) <= high; ++exponent) {
    for (const double lead : {1, 2, 5}) numbers.push_back(lead * std::pow(10, exponent));
  }
  return numbers;
}

bool is_power_of_ten(double number) {
  const double lead = number / std::pow(10, std::floor(std::log10(number) + 1e-9));
  return lead < 1.5;
}

// 8000 -> 8k; steps below 1 get the digits that tell neighbours apart.
std::string linear_label(double value, double step) {
  if (step >= 1000) return value == 0 ? "0" : fmt::format("{:g}k", value / 1000);
  const int digits = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
  return fmt::format("{:.{}f}", value == 0 ? 0.0 : value, digits);
}

std::string logarithmic_label(double value) {
  if (value >= 1e6 || value < 1e-3) return fmt::format("{:.0e}", value);
  return fmt::format("{:g}", value);
}

}  // namespace

std::vector<double> nice_ticks(double low, double high, int wanted) {
  const double rough = (high - low) / std::max(wanted - 1, 1);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double lead = rough / power;
  const double step = power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
  const double slack = 1e-9;  // so that 0.3 / 0.1 counts as 3
  const auto first = static_cast<long long>(std::floor(low / step + slack));
  const auto last = std::max(static_cast<long long>(std::ceil(high / step - slack)), first + 1);
  std::vector<double> ticks;
  for (long long i = first; i <= last; ++i) ticks.push_back(static_cast<double>(i) * step);
  return ticks;
}

PlotAxis::PlotAxis(Scale scale, double low, double high, int wanted, double pixel_low, double pixel_high)
    : scale_(scale), pixel_low_(pixel_low), pixel_high_(pixel_high) {
  if (scale == Scale::linear) {
    if (high - low < 1e-12 * std::max(1.0, std::abs(high))) {
      const double room = high == 0 ? 1.0 : std::abs(high) * 0.1;
      low -= room, high += room;
    }
    ticks_ = nice_ticks(low, high, wanted);
  } else {
    constexpr double kRoom = 1.02;  // between the data and the ends
    const std::vector<double> numbers = round_numbers(low / kRoom, 10 * high);
    const auto first = std::prev(std::ranges::upper_bound(numbers, low / kRoom));
    const auto last = std::ranges::lower_bound(numbers, high * kRoom);
    ticks_.assign(first, last + 1);
  }
  low_ = ticks_.front(), high_ = ticks_.back();
  if (scale == Scale::logarithmic && high_ / low_ > 1e3)
    std::erase_if(ticks_, [](double tick) { return !is_power_of_ten(tick); });
}

double PlotAxis::share(double value) const {
  if (scale_ == Scale::linear) return (value - low_) / (high_ - low_);
  return std::log(value / low_) / std::log(high_ / low_);
}

double PlotAxis::operator()(double value) const {
  return pixel_low_ + share(value) * (pixel_high_ - pixel_low_);
}

std::string PlotAxis::label(double tick) const {
  return scale_ == Scale::linear ? linear_label(tick, ticks_[1] - ticks_[0]) : logarithmic_label(tick);
}

}  // namespace xf::tools
