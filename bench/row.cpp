#include "bench/row.h"

#include <fmt/core.h>

#include <cstdio>

namespace xf::bench {

void Row::set_turns(const Turns& turns) {
  std::vector<double> ratios;
  for (size_t i = 0; i < turns.a.size(); ++i) ratios.push_back(turns.b[i] / turns.a[i]);
  const Samples sorted = Samples::of(std::move(ratios));
  samples = Samples::of(turns.a);
  baseline_s = sorted.quantile(0.5) * median();
  add_note(fmt::format("in turn; half of the ratios from {:.2f} to {:.2f}", sorted.quantile(0.25),
                       sorted.quantile(0.75)));
}

std::optional<std::pair<double, double>> Row::ratio_quartiles() const {
  const size_t at = note.find("half of the ratios from ");
  std::pair<double, double> quartiles;
  if (at == std::string::npos || std::sscanf(note.c_str() + at, "half of the ratios from %lf to %lf",
                                             &quartiles.first, &quartiles.second) != 2)
    return {};
  return quartiles;
}

void note_drift(Row& row, double first, double second) {
  const double drift = std::abs(first / second - 1);
  if (drift <= kMostDrift) return;
  row.add_note(
      fmt::format("not to be trusted: ours differed by {:.1f} % before and after the peer", 100 * drift));
}

}  // namespace xf::bench
