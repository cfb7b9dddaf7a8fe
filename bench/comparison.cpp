#include "bench/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/output.h"
#include "core/error.h"
#include "core/philox.h"

namespace xf::bench {

namespace {

constexpr size_t kFewestSamples = 5;
constexpr int kResamples = 1000;
constexpr double kConfidence = 0.99;

// As many samples as there are, drawn with replacement.
Samples resample(const Samples& samples, PhiloxSequence& random) {
  const auto n = static_cast<uint32_t>(samples.seconds.size());
  Samples drawn;
  for (uint32_t i = 0; i < n; ++i) drawn.seconds.push_back(samples.seconds[random.below(n)]);
  std::sort(drawn.seconds.begin(), drawn.seconds.end());
  return drawn;
}

double ratio(const Samples& a, const Samples& b, double q) { return b.quantile(q) / a.quantile(q); }

double least_ratio(const Samples& a, const Samples& b) {
  return std::min(ratio(a, b, 0.5), ratio(a, b, 0.25));
}

}  // namespace

bool Change::regression(double threshold) const {
  return median > 1 + threshold && quarter > 1 + threshold && surely > 1;
}

Change compare(const Samples& a, const Samples& b) {
  if (a.seconds.empty() || b.seconds.empty()) return {};
  Change change{.median = ratio(a, b, 0.5), .quarter = ratio(a, b, 0.25)};
  if (std::min(a.seconds.size(), b.seconds.size()) < kFewestSamples) return change;
  PhiloxSequence random(1, 0);
  Samples ratios;
  for (int i = 0; i < kResamples; ++i) {
    const Samples from_a = resample(a, random);
    ratios.seconds.push_back(least_ratio(from_a, resample(b, random)));
  }
  std::sort(ratios.seconds.begin(), ratios.seconds.end());
  change.surely = ratios.quantile(1 - kConfidence);
  return change;
}

Comparison compare(const Results& a, const Results& b) {
  Comparison comparison{a.label, b.label, {}, {}};
  const auto find = [](const Results& results, const std::string& key) {
    return std::find_if(results.rows.begin(), results.rows.end(),
                        [&](const Row& row) { return row.key() == key && row.ran(); });
  };
  for (const Row& before : a.rows) {
    if (!before.ran()) continue;
    const auto after = find(b, before.key());
    if (after == b.rows.end()) {
      comparison.only_in_one.push_back(before.key());
    } else {
      comparison.rows.push_back(
          {before.key(), before.median(), after->median(), compare(before.samples, after->samples)});
    }
  }
  for (const Row& after : b.rows) {
    if (after.ran() && find(a, after.key()) == a.rows.end()) comparison.only_in_one.push_back(after.key());
  }
  std::stable_sort(comparison.rows.begin(), comparison.rows.end(),
                   [](const Compared& x, const Compared& y) { return x.change.median > y.change.median; });
  return comparison;
}

std::string to_text(const Comparison& comparison, double threshold) {
  size_t width = 4;
  for (const Compared& row : comparison.rows) width = std::max(width, row.key.size());
  std::string text = fmt::format("{:{}} {:>11} {:>11} {:>8} {:>8} {:>8}\n", "row", width, comparison.before,
                                 comparison.after, "median", "quarter", "surely");
  const auto percent = [](double times) { return fmt::format("{:+.1f} %", 100 * (times - 1)); };
  for (const Compared& row : comparison.rows) {
    text += fmt::format("{:{}} {:>11} {:>11} {:>8} {:>8} {:>8}{}\n", row.key, width, readable(row.before_s),
                        readable(row.after_s), percent(row.change.median), percent(row.change.quarter),
                        percent(row.change.surely), row.change.regression(threshold) ? "  slower" : "");
  }
  for (const std::string& key : comparison.only_in_one) text += key + ": in one run only\n";
  return text;
}

int regressions(const Comparison& comparison, double threshold) {
  return static_cast<int>(
      std::count_if(comparison.rows.begin(), comparison.rows.end(),
                    [&](const Compared& row) { return row.change.regression(threshold); }));
}

double threshold_of(const std::string& text) {
  double value = 0;
  size_t used = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used > 0 && text.substr(used) == "%") value /= 100, ++used;
  if (used == 0 || used != text.size() || !(value > 0)) {
    fail(ErrorKind::usage, "'{}' is not a share of time; write it as 5% or 0.05", text);
  }
  return value;
}

}  // namespace xf::bench
