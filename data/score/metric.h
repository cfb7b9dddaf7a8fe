// A metric whose score of a corpus is a function of sums over its segments. What resamples a corpus
// (data/score/resampling.h) adds up other segments, and knows no more of the metric than this.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/score/bleu.h"
#include "data/score/chrf.h"
#include "data/score/score.h"
#include "data/score/ter.h"

namespace xf::data {

class Metric {
 public:
  virtual ~Metric() = default;

  // What one segment adds to the sums; always as many numbers. `references`: at least one.
  virtual std::vector<double> statistics(std::string_view hypothesis,
                                         std::span<const std::string> references) const = 0;
  virtual Score score(std::span<const double> sums, size_t reference_count) const = 0;
  virtual ResampledScore resampled_score(std::span<const float> sums) const = 0;

  // The score of a trial of approximate randomisation, whose sums sacreBLEU keeps as whole numbers
  // where they are.
  virtual double swapped_score(std::span<const double> sums) const { return score(sums, 1).score; }
};

std::unique_ptr<Metric> make_metric(const BleuOptions& options);
std::unique_ptr<Metric> make_metric(const ChrfOptions& options);
std::unique_ptr<Metric> make_metric(const TerOptions& options);

}  // namespace xf::data
