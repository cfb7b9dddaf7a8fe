#include "bench/comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bench/output.h"
#include "core/error.h"
#include "core/philox.h"

namespace xf::bench {

namespace {

constexpr size_t kFewestSamples = 5;
constexpr int kResamples = 1000;
constexpr double kConfidence = 0.99;

// What 99 % of resampled ratios exceed.
double surely_above(const std::function<double(PhiloxSequence&)>& resampled) {
  PhiloxSequence random(1, 0);
  std::vector<double> ratios;
  for (int i = 0; i < kResamples; ++i) ratios.push_back(resampled(random));
  return Samples::of(std::move(ratios)).quantile(1 - kConfidence);
}

// As many samples as there are, drawn with replacement.
Samples resample(const Samples& samples, PhiloxSequence& random) {
  const auto n = static_cast<uint32_t>(samples.seconds.size());
  std::vector<double> drawn;
  for (uint32_t i = 0; i < n; ++i) drawn.push_back(samples.seconds[random.below(n)]);
  return Samples::of(std::move(drawn));
}

double ratio(const Samples& a, const Samples& b, double q) { return b.quantile(q) / a.quantile(q); }

double least_ratio(const Samples& a, const Samples& b) {
  return std::min(ratio(a, b, 0.5), ratio(a, b, 0.25));
}

struct Pair {
  double a, b;
  double ratio() const { return b / a; }
};

double median_ratio(const std::vector<Pair>& pairs) {
  std::vector<double> ratios;
  for (const Pair& pair : pairs) ratios.push_back(pair.ratio());
  return Samples::of(std::move(ratios)).quantile(0.5);
}

// The change of pairs, but for `surely`.
Change change_of(std::vector<Pair> pairs) {
  Change change{.median = median_ratio(pairs)};
  std::sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) { return x.a * x.b < y.a * y.b; });
  pairs.resize((pairs.size() + 1) / 2);
  change.quarter = median_ratio(pairs);
  return change;
}

}  // namespace

bool Change::regression(double threshold) const {
  return median > 1 + threshold && quarter > 1 + threshold && surely > 1;
}

Change compare(const Samples& a, const Samples& b) {
  if (a.seconds.empty() || b.seconds.empty()) return {};
  Change change{.median = ratio(a, b, 0.5), .quarter = ratio(a, b, 0.25)};
  change.enough = std::min(a.seconds.size(), b.seconds.size()) >= kFewestSamples;
  if (!change.enough) return change;
  change.surely = surely_above([&](PhiloxSequence& random) {
    const Samples from_a = resample(a, random);
    return least_ratio(from_a, resample(b, random));
  });
  return change;
}

Change compare_pairs(const std::vector<double>& a, const std::vector<double>& b) {
  XF_CHECK(a.size() == b.size() && !a.empty(), "comparison: {} and {} samples are no pairs", a.size(),
           b.size());
  std::vector<Pair> pairs;
  for (size_t i = 0; i < a.size(); ++i) pairs.push_back({a[i], b[i]});
  Change change = change_of(pairs);
  change.enough = pairs.size() >= kFewestSamples;
  if (!change.enough) return change;
  change.surely = surely_above([&](PhiloxSequence& random) {
    std::vector<Pair> drawn;
    for (size_t i = 0; i < pairs.size(); ++i)
      drawn.push_back(pairs[random.below(static_cast<uint32_t>(pairs.size()))]);
    const Change of_drawn = change_of(std::move(drawn));
    return std::min(of_drawn.median, of_drawn.quarter);
  });
  return change;
}

Comparison compare(const Results& a, const Results& b) {
  Comparison comparison{a.label, b.label, {}, {}, {}, {}};
  const auto find = [](const Results& results, const std::string& key) {
    return std::find_if(results.rows.begin(), results.rows.end(),
                        [&](const Row& row) { return row.key() == key && row.ran(); });
  };
  for (const Row& before : a.rows) {
    if (!before.ran()) continue;
    const auto after = find(b, before.key());
    if (after == b.rows.end()) {
      comparison.only_before.push_back(before.key());
    } else {
      comparison.rows.push_back(
          {before.key(), before.median(), after->median(), compare(before.samples, after->samples)});
    }
  }
  for (const Row& after : b.rows) {
    if (after.ran() && find(a, after.key()) == a.rows.end()) comparison.only_after.push_back(after.key());
  }
  return comparison;
}

std::string to_text(const Comparison& comparison, double threshold) {
  std::vector<Compared> rows = comparison.rows;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Compared& x, const Compared& y) { return x.change.median > y.change.median; });
  size_t width = 4;
  for (const Compared& row : rows) width = std::max(width, row.key.size());
  std::string text = fmt::format("{:{}} {:>11} {:>11} {:>8} {:>8} {:>8}\n", "row", width, comparison.before,
                                 comparison.after, "median", "quarter", "surely");
  const auto percent = [](double times) { return fmt::format("{:+.1f} %", 100 * (times - 1)); };
  for (const Compared& row : rows) {
    text += fmt::format("{:{}} {:>11} {:>11} {:>8} {:>8} {:>8}{}\n", row.key, width, readable(row.before_s),
                        readable(row.after_s), percent(row.change.median), percent(row.change.quarter),
                        percent(row.change.surely), row.change.regression(threshold) ? "  slower" : "");
  }
  for (const std::string& key : comparison.only_before)
    text += fmt::format("{}: in {} only\n", key, comparison.before);
  for (const std::string& key : comparison.only_after)
    text += fmt::format("{}: in {} only\n", key, comparison.after);
  for (const std::string& key : comparison.in_none) text += key + ": in neither\n";
  return text;
}

int regressions(const Comparison& comparison, double threshold) {
  return static_cast<int>(
      std::count_if(comparison.rows.begin(), comparison.rows.end(),
                    [&](const Compared& row) { return row.change.regression(threshold); }));
}

std::vector<std::string> unproven(const Comparison& comparison) {
  std::vector<std::string> keys = comparison.only_before;
  for (const Compared& row : comparison.rows) {
    if (!row.change.enough) keys.push_back(row.key);
  }
  return keys;
}

double threshold_of(const std::string& text) {
  double value = 0;
  size_t used = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const bool percent = used > 0 && text.substr(used) == "%";
  if (percent) value /= 100, ++used;
  if (used == 0 || used != text.size() || !(value > 0) || !std::isfinite(value) || (!percent && value >= 1)) {
    fail(ErrorKind::usage, "'{}' is not a share of time; write it as 5% or 0.05", text);
  }
  return value;
}

}  // namespace xf::bench
