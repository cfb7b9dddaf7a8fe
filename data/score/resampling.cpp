#include "data/score/resampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "data/score/numpy_generator.h"

namespace xf::data {
namespace {

// As NumPy would hold them: 32-bit floats if all are.
struct ResampledScores {
  std::vector<double> values;
  bool is_float32 = true;
};

std::vector<double> sums_of(const SegmentStatistics& segments) {
  std::vector<double> sums(segments.front().size(), 0.0);
  for (const auto& segment : segments) {
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += segment[k];
  }
  return sums;
}

ResampledScores bootstrap(const Metric& metric, const SegmentStatistics& segments, int64_t resamples,
                          uint64_t seed) {
  const auto count = static_cast<uint32_t>(segments.size());
  const size_t width = segments.front().size();
  std::vector<float> numbers;
  for (const auto& segment : segments) numbers.insert(numbers.end(), segment.begin(), segment.end());
  NumpyGenerator generator(seed);
  ResampledScores scores;
  for (int64_t i = 0; i < resamples; ++i) {
    std::vector<float> sums(width, 0.0F);
    for (uint32_t drawn = 0; drawn < count; ++drawn) {
      const float* segment = numbers.data() + width * generator.below(count);
      for (size_t k = 0; k < width; ++k) sums[k] += segment[k];
    }
    const ResampledScore score = metric.resampled_score(sums);
    scores.values.push_back(score.value);
    scores.is_float32 = scores.is_float32 && score.is_float32;
  }
  return scores;
}

// The rounding of every result is what a type is for here: `values` are numbers of it already.
template <typename Real>
Real rounded_difference(double a, double b) {
  return static_cast<Real>(a) - static_cast<Real>(b);
}

// Half the width of what is left of the sorted scores without a fortieth at each end.
double half_width(const std::vector<double>& sorted, bool is_float32) {
  const size_t left_out = sorted.size() / 40;
  const double low = sorted[left_out], high = sorted[sorted.size() - 1 - left_out];
  return is_float32 ? 0.5F * rounded_difference<float>(high, low) : 0.5 * (high - low);
}

// Rounded once, as Python's statistics.mean() is: the sum's rounding errors are summed beside it.
double exact_mean(const std::vector<double>& values) {
  double sum = 0.0, error = 0.0;
  for (const double value : values) {
    const double next = sum + value;
    const double part = next - sum;
    error += (sum - (next - part)) + (value - part);
    sum = next;
  }
  const auto count = static_cast<double>(values.size());
  const double mean = (sum + error) / count;
  return mean + (std::fma(-mean, count, sum) + error) / count;
}

// NumPy's order of additions.
template <typename Real>
Real pairwise_sum(std::span<const Real> values) {
  constexpr size_t kLanes = 8, kBlock = 128;
  if (values.size() < kLanes) return std::accumulate(values.begin(), values.end(), Real{0});
  if (values.size() > kBlock) {
    const size_t half = values.size() / 2 / kLanes * kLanes;
    return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
  }
  Real lanes[kLanes];
  std::copy_n(values.begin(), kLanes, lanes);
  size_t i = kLanes;
  for (; i + kLanes <= values.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += values[i + lane];
  }
  const Real sum =
      ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(i), values.end(), sum);
}

template <typename Real>
double numpy_mean(const std::vector<double>& values) {
  const std::vector<Real> numbers(values.begin(), values.end());
  return pairwise_sum<Real>(numbers) / static_cast<Real>(numbers.size());
}

Interval numpy_interval(const ResampledScores& scores) {
  std::vector<double> sorted = scores.values;
  std::ranges::sort(sorted);
  return {scores.is_float32 ? numpy_mean<float>(sorted) : numpy_mean<double>(sorted),
          half_width(sorted, scores.is_float32)};
}

double p_value(int64_t larger, int64_t trials) {
  return static_cast<double>(larger + 1) / static_cast<double>(trials + 1);
}

template <typename Real>
double bootstrap_p(const ResampledScores& baseline, const ResampledScores& system, double difference) {
  std::vector<double> differences;
  for (size_t i = 0; i < baseline.values.size(); ++i) {
    differences.push_back(std::abs(rounded_difference<Real>(system.values[i], baseline.values[i])));
  }
  const double mean = numpy_mean<Real>(differences);
  const auto larger = std::ranges::count_if(differences, [&](double value) {
    return rounded_difference<Real>(value, mean) > static_cast<Real>(difference);
  });
  return p_value(larger, static_cast<int64_t>(differences.size()));
}

// The absolute difference after one throw of a coin for each segment.
double swapped_difference(const Metric& metric, const SegmentStatistics& baseline,
                          const SegmentStatistics& system, NumpyGenerator& generator) {
  std::vector<double> a(baseline.front().size(), 0.0), b = a;
  for (size_t i = 0; i < baseline.size(); ++i) {
    const bool stays = generator.coin();
    const auto &first = stays ? baseline[i] : system[i], &second = stays ? system[i] : baseline[i];
    for (size_t k = 0; k < a.size(); ++k) {
      a[k] += first[k];
      b[k] += second[k];
    }
  }
  return std::abs(metric.swapped_score(a) - metric.swapped_score(b));
}

double randomization_p(const Metric& metric, const SegmentStatistics& baseline,
                       const SegmentStatistics& system, double difference, int64_t trials, uint64_t seed) {
  NumpyGenerator generator(seed);
  int64_t larger = 0;
  for (int64_t trial = 0; trial < trials; ++trial) {
    if (swapped_difference(metric, baseline, system, generator) > difference) ++larger;
  }
  return p_value(larger, trials);
}

void check_systems(const std::vector<SegmentStatistics>& systems, int64_t trials) {
  XF_CHECK(trials > 0, "paired_test: trials must be at least 1, got {}", trials);
  XF_CHECK(!systems.empty() && !systems[0].empty(), "paired_test: no system, or one without a segment");
  for (const SegmentStatistics& system : systems) {
    XF_CHECK(system.size() == systems[0].size(), "paired_test: systems of {} and of {} segments",
             systems[0].size(), system.size());
  }
}

}  // namespace

SegmentStatistics segment_statistics(const Metric& metric, std::span<const std::string> hypotheses,
                                     std::span<const std::vector<std::string>> references) {
  check_segments(hypotheses.size(), references);
  SegmentStatistics segments;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    segments.push_back(metric.statistics(hypotheses[i], references_of_segment(references, i)));
  }
  return segments;
}

Score corpus_score(const Metric& metric, const SegmentStatistics& segments, size_t reference_count) {
  XF_CHECK(!segments.empty(), "corpus_score: no segment");
  return metric.score(sums_of(segments), reference_count);
}

Interval confidence_interval(const Metric& metric, const SegmentStatistics& segments, int64_t resamples,
                             uint64_t seed) {
  XF_CHECK(resamples > 0, "confidence_interval: resamples must be at least 1, got {}", resamples);
  XF_CHECK(!segments.empty(), "confidence_interval: no segment");
  ResampledScores scores = bootstrap(metric, segments, resamples, seed);
  std::ranges::sort(scores.values);
  const double mean = exact_mean(scores.values);
  return {scores.is_float32 ? static_cast<double>(static_cast<float>(mean)) : mean,
          half_width(scores.values, scores.is_float32)};
}

std::vector<PairedResult> paired_test(const Metric& metric, const std::vector<SegmentStatistics>& systems,
                                      PairedTest test, int64_t trials, uint64_t seed) {
  check_systems(systems, trials);
  std::vector<PairedResult> results;
  ResampledScores of_baseline;
  for (const SegmentStatistics& system : systems) {
    PairedResult result{.score = corpus_score(metric, system, 1).score, .confidence = {}, .p_value = {}};
    const bool is_baseline = results.empty();
    const double difference = is_baseline ? 0.0 : std::abs(results[0].score - result.score);
    if (test == PairedTest::bootstrap) {
      ResampledScores scores = bootstrap(metric, system, trials, seed);
      result.confidence = numpy_interval(scores);
      if (is_baseline) {
        of_baseline = std::move(scores);
      } else {
        result.p_value = scores.is_float32 && of_baseline.is_float32
                             ? bootstrap_p<float>(of_baseline, scores, difference)
                             : bootstrap_p<double>(of_baseline, scores, difference);
      }
    } else if (!is_baseline) {
      result.p_value = randomization_p(metric, systems[0], system, difference, trials, seed);
    }
    results.push_back(result);
  }
  return results;
}

}  // namespace xf::data
