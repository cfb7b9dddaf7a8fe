// --data-diversification: from an epoch on the training text is read with the model's translations of either side
// (data/diversification.h).
#pragma once

#include <optional>

#include "data/diversification.h"
#include "tools/self_training.h"

namespace xf::tools {

class DataDiversification final : public SelfTraining {
 public:
  DataDiversification(const Options& options, const nn::TransformerConfig& model);

  // No translation is longer than the longest sentence of its language.
  std::string begin(const nn::TranslationModel& model, const Vocabularies& vocabularies,
                    const data::ParallelCorpus& corpus, Collective& ranks) override;
  data::ParallelCorpus read(const data::ParallelCorpus& corpus, int64_t epoch) const override;
  void save(nn::TensorMap& tensors) const override;
  void load(const nn::TensorMap& tensors, const data::ParallelCorpus& corpus) override;

 private:
  bool begun() const override { return own_.has_value(); }
  data::Sequences translate_side(const nn::TranslationModel& model, const Vocabularies& vocabularies,
                                 const data::Sequences& sources, int64_t longest, Collective& ranks) const;

  std::optional<data::OwnTranslations> own_;
};

}  // namespace xf::tools
