// Perplexities of the validation text.
#pragma once

#include "data/vocabularies.h"
#include "tools/app/validation.h"
#include "tools/config/training_options.h"

namespace xf::tools {

class LanguageModelValidator final : public Validator {
 public:
  LanguageModelValidator(const TrainingOptions& options, const nn::Model& model, Arena& arena,
                         const data::Vocabularies& vocabularies, const ValidationSet& set, Collective& ranks)
      : Validator(options, model, arena, vocabularies, set, ranks) {}

  FinalScore score() override;

 private:
  ValidationResult measure(const std::vector<std::string>& metrics) override;
};

}  // namespace xf::tools
