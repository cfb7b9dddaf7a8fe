// A translation, and below it its references, a line each, scored by every metric. Any bytes: who
// scores files says whether they must be UTF-8.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "data/score/metric.h"
#include "tests/fuzz/target.h"
#include "tools/tutorials/tutorial_bleu.h"

namespace xf::fuzz {

using namespace data;

namespace {

constexpr double kFull = 100 + 1e-9;  // rounding

struct Bounded {
  std::unique_ptr<Metric> metric;
  double most;
};

std::vector<Bounded> all_metrics() {
  std::vector<Bounded> all;
  for (const auto tokenizer : {BleuTokenizer::mteval_13a, BleuTokenizer::intl, BleuTokenizer::character,
                               BleuTokenizer::chinese, BleuTokenizer::none}) {
    all.push_back({make_metric(BleuOptions{.lowercase = true, .tokenizer = tokenizer}), kFull});
  }
  all.push_back({make_metric(ChrfOptions{}), kFull});
  all.push_back(
      {make_metric(ChrfOptions{.word_order = 2, .whitespace = true, .eps_smoothing = true}), kFull});
  all.push_back({make_metric(TerOptions{}), HUGE_VAL});
  all.push_back(
      {make_metric(TerOptions{.normalized = true, .no_punct = true, .asian_support = true}), HUGE_VAL});
  return all;
}

}  // namespace

void read(std::string_view bytes) {
  static const std::vector<Bounded> kMetrics = all_metrics();
  std::vector<std::string> lines(1);
  for (const char c : bytes) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  const std::string hypothesis = lines.front();
  const std::vector<std::string> references(lines.begin() + (lines.size() > 1 ? 1 : 0), lines.end());
  for (const auto& [metric, most] : kMetrics) {
    const double score = metric->score(metric->statistics(hypothesis, references), references.size()).score;
    promise(score >= 0 && score <= most, "a score lies between the metric's bounds");
  }
  const double of_tutorials = tutorial_bleu(hypothesis, references.front());
  promise(of_tutorials >= 0 && of_tutorials <= kFull, "a score lies between the metric's bounds");
}

}  // namespace xf::fuzz
