// How sure a score is, and whether two systems differ: bootstrap resampling and approximate
// randomisation, equal to sacreBLEU 2.6.0 (with NumPy 2) to the last printed digit, random numbers
// included (data/score/numpy_generator.h).
//
//   bootstrap      a resample is as many segments as there are, drawn with replacement. Of the
//                  sorted scores a fortieth is
//                  left out at each end: the interval is mean ± half of the width that is left
//   paired tests   p = (1 + trials that differ more than the systems do) / (1 + trials), where a
//                  trial is, by the test,
//                  the two scores of one resample, their difference less the mean difference; or
//                  the scores after each segment's translations were swapped between the systems,
//                  or not, by a coin
// Koehn 2004, "Statistical significance tests for machine translation evaluation", EMNLP; Riezler
// and Maxwell 2005, "On some pitfalls in automatic evaluation and significance testing for MT", ACL
// Workshop.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/score/metric.h"
#include "data/score/score.h"

namespace xf::data {

// A row for each segment: Metric::statistics().
using SegmentStatistics = std::vector<std::vector<double>>;

// `references[r][i]` is the r-th reference of hypothesis i. Throws Error(data) where numbers of
// lines differ or there is no line or no reference.
SegmentStatistics segment_statistics(const Metric& metric, std::span<const std::string> hypotheses,
                                     std::span<const std::vector<std::string>> references);

// The score of all segments.
Score corpus_score(const Metric& metric, const SegmentStatistics& segments, size_t reference_count);

// The interval of one system; `resamples` is at least 1.
Interval confidence_interval(const Metric& metric, const SegmentStatistics& segments, int64_t resamples,
                             uint64_t seed);

enum class PairedTest { bootstrap, randomization };

struct PairedResult {
  double score = 0;
  std::optional<Interval> confidence;  // bootstrap
  std::optional<double> p_value;       // of all systems but the first, with which they are compared
};

// `systems`: the same segments of each, at least one system; `trials` is at least 1.
std::vector<PairedResult> paired_test(const Metric& metric, const std::vector<SegmentStatistics>& systems,
                                      PairedTest test, int64_t trials, uint64_t seed);

}  // namespace xf::data
