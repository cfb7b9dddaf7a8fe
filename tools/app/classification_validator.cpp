#include "tools/app/classification_validator.h"
#include "tools/config/training_options.h"

#include <fmt/core.h>

#include <span>

#include "data/vocabularies.h"
#include "tools/inference/text_classifier.h"

namespace xf::tools {

ClassificationValidator::ClassificationValidator(const TrainingOptions& options, const nn::Model& model,
                                                 Arena& arena, const data::Vocabularies& vocabularies,
                                                 const ValidationSet& set, Collective& ranks)
    : Validator(options, model, arena, vocabularies, set, ranks),
      classifier_(dynamic_cast<const nn::Classifier&>(model)) {}

ValidationResult ClassificationValidator::measure(const std::vector<std::string>& metrics) {
  ValidationResult result;
  const data::ClassificationScores scores = scores_of(classifier_, arena_, vocabularies_, set_.corpus,
                                                      options_.validation.valid_mini_batch, ranks_);
  for (const std::string& metric : metrics) {
    if (metric == "accuracy") result.scores.push_back({metric, scores.accuracy, true});
    if (metric == "macro-f1") result.scores.push_back({metric, scores.macro_f1, true});
    if (metric == "ce-mean-words") result.scores.push_back({metric, loss().mean(), false});
  }
  return result;
}

FinalScore ClassificationValidator::score() {
  const data::ClassificationScores scores = scores_of(classifier_, arena_, vocabularies_, set_.corpus,
                                                      options_.validation.valid_mini_batch, ranks_);
  return {{"accuracy", scores.accuracy},
          fmt::format("accuracy {:.2f}, macro-F1 {:.2f}", scores.accuracy, scores.macro_f1),
          {{"macro_f1", scores.macro_f1}}};
}

data::ClassificationScores scores_of(const nn::Classifier& model, Arena& arena,
                                     const data::Vocabularies& vocabularies,
                                     const data::ParallelCorpus& corpus, int64_t sentences_per_batch,
                                     Collective& ranks) {
  std::vector<int64_t> best;  // zero where another rank looks
  ranks.on_all_ranks([&] {
    for (const Classification& classification : classify(
             model, arena, corpus.source, vocabularies.source->eos_id(), sentences_per_batch, ranks.share()))
      best.push_back(classification.best);
  });
  ranks.sum(std::span(best));
  const std::vector<int32_t> predicted(best.begin(), best.end());
  std::vector<int32_t> reference;
  for (int64_t i = 0; i < corpus.size(); ++i) reference.push_back(corpus.target[i].front());
  return data::classification_scores(predicted, reference, vocabularies.target->size());
}

}  // namespace xf::tools
