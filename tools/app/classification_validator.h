// Accuracy and F1 of the validation texts' classes.
#pragma once

#include "data/score/classification_scores.h"
#include "data/vocabularies.h"
#include "nn/classifier.h"
#include "tools/app/validation.h"
#include "tools/config/training_options.h"

namespace xf::tools {

class ClassificationValidator final : public Validator {
 public:
  // `model` is a Classifier.
  ClassificationValidator(const TrainingOptions& options, const nn::Model& model, Arena& arena,
                          const data::Vocabularies& vocabularies, const ValidationSet& set,
                          Collective& ranks);

  FinalScore score() override;

 private:
  ValidationResult measure(const std::vector<std::string>& metrics) override;
  const nn::Classifier& classifier_;
};

// How well the model tells the classes of a set; of several ranks each looks at its share.
data::ClassificationScores scores_of(const nn::Classifier& model, Arena& arena,
                                     const data::Vocabularies& vocabularies,
                                     const data::ParallelCorpus& corpus, int64_t sentences_per_batch,
                                     Collective& ranks = Collective::alone());

}  // namespace xf::tools
