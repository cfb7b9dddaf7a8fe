// Translations of the validation set, and their scores.
#pragma once

#include "data/score/batch_metric.h"
#include "data/score/bleu.h"
#include "data/vocabularies.h"
#include "nn/translation_model.h"
#include "tools/app/validation.h"
#include "tools/config/training_options.h"

namespace xf::tools {

class TranslationValidator final : public Validator {
 public:
  // `model` is a TranslationModel.
  TranslationValidator(const TrainingOptions& options, const nn::Model& model, Arena& arena,
                       const data::Vocabularies& vocabularies, const ValidationSet& set, Collective& ranks);

  FinalScore score() override;

 private:
  ValidationResult measure(const std::vector<std::string>& metrics) override;
  // Best translation of each source.
  std::vector<std::string> translations(int64_t beam);
  // Along the references (tools/inference/teacher_forcing.h).
  double score_along(const data::BatchMetric& metric);
  data::BleuScore bleu(std::vector<std::string> translations) const;
  std::vector<Sample> samples(const std::vector<std::string>& translations) const;
  // Cross-attention of the first samples that are short enough to be drawn; none without --report.
  std::vector<Gallery> attention(const std::vector<Sample>& samples);

  const nn::TranslationModel& translator_;
  Arena search_arena_;
};

}  // namespace xf::tools
