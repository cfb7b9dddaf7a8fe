#include "data/score/metric.h"

#include <algorithm>
#include <cmath>

namespace xf::data {
namespace {

int64_t count_of(double number) { return static_cast<int64_t>(number); }

class Bleu : public Metric {
 public:
  explicit Bleu(const BleuOptions& options) : options_(options) {}

  std::vector<double> statistics(std::string_view hypothesis,
                                 std::span<const std::string> references) const override {
    const BleuStatistics counts = bleu_statistics(hypothesis, references, options_);
    std::vector<double> numbers = {static_cast<double>(counts.hyp_len), static_cast<double>(counts.ref_len)};
    numbers.insert(numbers.end(), counts.matches.begin(), counts.matches.end());
    numbers.insert(numbers.end(), counts.totals.begin(), counts.totals.end());
    return numbers;
  }

  Score score(std::span<const double> sums, size_t reference_count) const override {
    BleuStatistics counts{.hyp_len = count_of(sums[0]), .ref_len = count_of(sums[1])};
    std::ranges::transform(sums.subspan(2, kBleuOrder), counts.matches.begin(), count_of);
    std::ranges::transform(sums.subspan(2 + kBleuOrder, kBleuOrder), counts.totals.begin(), count_of);
    return bleu_from_statistics(counts, options_, reference_count);
  }

  ResampledScore resampled_score(std::span<const float> sums) const override {
    return resampled_bleu(sums, options_);
  }

  // What add-k adds to a whole number is cut to one: below 1 nothing is added.
  double swapped_score(std::span<const double> sums) const override {
    if (options_.smoothing != BleuSmoothing::add_k || !options_.smooth_value) return score(sums, 1).score;
    BleuOptions whole = options_;
    whole.smooth_value = std::floor(*options_.smooth_value);
    return Bleu(whole).score(sums, 1).score;
  }

 private:
  BleuOptions options_;
};

class Chrf : public Metric {
 public:
  explicit Chrf(const ChrfOptions& options) : options_(options) {}

  std::vector<double> statistics(std::string_view hypothesis,
                                 std::span<const std::string> references) const override {
    return chrf_statistics(hypothesis, references, options_);
  }

  Score score(std::span<const double> sums, size_t reference_count) const override {
    return chrf_from_statistics({sums.begin(), sums.end()}, options_, reference_count);
  }

  ResampledScore resampled_score(std::span<const float> sums) const override {
    return resampled_chrf(sums, options_);
  }

 private:
  ChrfOptions options_;
};

class Ter : public Metric {
 public:
  explicit Ter(const TerOptions& options) : options_(options) {}

  std::vector<double> statistics(std::string_view hypothesis,
                                 std::span<const std::string> references) const override {
    const TerStatistics counts = ter_statistics(hypothesis, references, options_);
    return {static_cast<double>(counts.edits), counts.ref_len};
  }

  Score score(std::span<const double> sums, size_t reference_count) const override {
    return ter_from_statistics({count_of(sums[0]), sums[1]}, options_, reference_count);
  }

  ResampledScore resampled_score(std::span<const float> sums) const override { return resampled_ter(sums); }

 private:
  TerOptions options_;
};

}  // namespace

std::unique_ptr<Metric> make_metric(const BleuOptions& options) { return std::make_unique<Bleu>(options); }
std::unique_ptr<Metric> make_metric(const ChrfOptions& options) { return std::make_unique<Chrf>(options); }
std::unique_ptr<Metric> make_metric(const TerOptions& options) { return std::make_unique<Ter>(options); }

}  // namespace xf::data
