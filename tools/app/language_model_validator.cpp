#include "tools/app/language_model_validator.h"

#include <fmt/core.h>

#include <cmath>

namespace xf::tools {

namespace {

double word_perplexity(const nn::LossSums& sums, const ValidationSet& set) {
  return std::exp(sums.plain / static_cast<double>(words_and_ends(set)));
}

}  // namespace

ValidationResult LanguageModelValidator::measure(const std::vector<std::string>& metrics) {
  ValidationResult result;
  const CorpusLoss loss = this->loss();
  for (const std::string& metric : metrics) {
    double value = loss.mean();
    if (metric == "perplexity") value = std::exp(loss.mean());
    if (metric == "word-perplexity") value = word_perplexity(loss.sums, set_);
    result.scores.push_back({metric, value, false});
  }
  return result;
}

FinalScore LanguageModelValidator::score() {
  const CorpusLoss loss = this->loss();
  const double perplexity = std::exp(loss.mean());
  const double by_word = word_perplexity(loss.sums, set_);
  return {{"perplexity", perplexity, false},
          fmt::format("perplexity {:.4f} of a token, {:.4f} of a word", perplexity, by_word),
          {{"word_perplexity", by_word}}};
}

}  // namespace xf::tools
