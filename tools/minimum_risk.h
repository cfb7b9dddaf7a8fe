// --minimum-risk: from an epoch on the training text is read with what the model has made of it (data/minimum_risk.h).
#pragma once

#include <optional>

#include "data/minimum_risk.h"
#include "tools/self_training.h"

namespace xf::tools {

class MinimumRisk final : public SelfTraining {
 public:
  MinimumRisk(const Options& options, const nn::TransformerConfig& model);

  // Of each pair whose --beam-size best translations differ in BLEU two are kept, none longer than the longest target.
  std::string begin(const nn::TranslationModel& model, const Vocabularies& vocabularies,
                    const data::ParallelCorpus& corpus, Collective& ranks) override;
  data::ParallelCorpus read(const data::ParallelCorpus& corpus, int64_t epoch) const override;
  void save(nn::TensorMap& tensors) const override;
  void load(const nn::TensorMap& tensors, const data::ParallelCorpus& corpus) override;

 private:
  bool begun() const override { return contrasts_.has_value(); }
  std::vector<data::Contrast> find(const nn::TranslationModel& model, const Vocabularies& vocabularies,
                                   const data::ParallelCorpus& corpus, Collective& ranks) const;

  std::optional<std::vector<data::Contrast>> contrasts_;
};

}  // namespace xf::tools
