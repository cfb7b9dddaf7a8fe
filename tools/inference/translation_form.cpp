#include "tools/inference/translation_form.h"
#include "tools/config/program_options.h"

#include <fmt/core.h>

namespace xf::tools {

namespace {

// " ||| WordScores= -0.1 -0.2"
std::string word_scores(const nn::Hypothesis& hypothesis) {
  std::string text = " ||| WordScores=";
  for (const double value : hypothesis.token_log_probabilities) text += fmt::format(" {:.6f}", value);
  return text;
}

}  // namespace

TranslationForm::TranslationForm(const TranslationOptions& options)
    : n_best_(options.n_best), word_scores_(options.word_scores), interactive_(options.interactive) {
  if (!options.alignment.empty()) alignment_.emplace(options.alignment);
}

std::vector<std::string> TranslationForm::lines(const Translation& translation, int64_t id) const {
  const size_t count = n_best_ ? translation.texts.size() : 1;
  const nn::Hypothesis none;  // of a line without tokens
  const nn::Alignment unaligned;
  std::vector<std::string> lines;
  for (size_t i = 0; i < count; ++i) {
    const bool found = i < translation.hypotheses.size();
    const nn::Hypothesis& hypothesis = found ? translation.hypotheses[i] : none;
    std::string line = translation.texts[i];
    if (alignment_) line += " ||| " + alignment_->text(found ? translation.alignments[i] : unaligned);
    if (word_scores_) line += word_scores(hypothesis);
    if (interactive_) {
      line = fmt::format("{:.4f}\t{}", hypothesis.score, line);
    } else if (n_best_) {
      line = fmt::format("{} ||| {} ||| F0= {:.6f} ||| {:.6f}", id, line, hypothesis.log_probability,
                         hypothesis.score);
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace xf::tools
