// A translation, and below it its references, a line each, scored by every metric. Any bytes: who scores files says
// whether they must be UTF-8.
#include <cmath>
#include <string>
#include <vector>

#include "data/compat_bleu.h"
#include "data/metric.h"
#include "tests/fuzz/target.h"

namespace xf::fuzz {

using namespace data;

namespace {

void check(const Metric& metric, const std::string& hypothesis, const std::vector<std::string>& references,
           double most) {
  const double score = metric.score(metric.statistics(hypothesis, references), references.size()).score;
  promise(score >= 0 && score <= most, "a score lies between the metric's bounds");
}

}  // namespace

void read(std::string_view bytes) {
  std::vector<std::string> lines(1);
  for (const char c : bytes) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  const std::string hypothesis = lines.front();
  const std::vector<std::string> references(lines.begin() + (lines.size() > 1 ? 1 : 0), lines.end());
  constexpr double kRounding = 1e-9, kFull = 100 + kRounding;
  for (const auto tokenizer : {BleuTokenizer::mteval_13a, BleuTokenizer::intl, BleuTokenizer::character,
                               BleuTokenizer::chinese, BleuTokenizer::none}) {
    check(*make_metric(BleuOptions{.lowercase = true, .tokenizer = tokenizer}), hypothesis, references,
          kFull);
  }
  check(*make_metric(ChrfOptions{}), hypothesis, references, kFull);
  check(*make_metric(ChrfOptions{.word_order = 2, .whitespace = true, .eps_smoothing = true}), hypothesis,
        references, kFull);
  check(*make_metric(TerOptions{}), hypothesis, references, HUGE_VAL);
  check(*make_metric(TerOptions{.normalized = true, .no_punct = true, .asian_support = true}), hypothesis,
        references, HUGE_VAL);
  const double compat = compat_bleu(hypothesis, references.front());
  promise(compat >= 0 && compat <= kFull, "a score lies between the metric's bounds");
}

}  // namespace xf::fuzz
