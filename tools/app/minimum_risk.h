// --minimum-risk: from an epoch on the training text is read with what the model has made of it (data/score/minimum_risk.h).
#pragma once

#include <optional>

#include "core/dist/collective.h"
#include "data/parallel_corpus.h"
#include "data/score/minimum_risk.h"
#include "data/vocabularies.h"
#include "nn/checkpoint/safetensors.h"
#include "nn/translation_model.h"
#include "tools/config/options.h"

namespace xf::tools {

class MinimumRisk {
 public:
  // Null without the option. Error usage for options that it does not go with. The options must outlive the object.
  static std::shared_ptr<MinimumRisk> of(const Options& options, const nn::TransformerConfig& model);

  // Whether it is to begin, where the next batch is of epoch `epoch`.
  bool due(int64_t epoch) const;
  // Translates the text, by the model as it is now; of each pair whose --beam-size best translations differ in BLEU two are kept, none
  // longer than the longest target. Every rank asks, does its share, and gets all. Returns a line for the log. Throws Stopped
  // between batches: then it has not begun.
  std::string begin(const nn::TranslationModel& model, const data::Vocabularies& vocabularies,
                    const data::ParallelCorpus& corpus, Collective& ranks);

  // The corpus as an epoch reads it; until it has begun, as it is.
  data::ParallelCorpus read(const data::ParallelCorpus& corpus, int64_t epoch) const;

  // Into the tensors of a checkpoint, and back; nothing there: it has not begun.
  void save(nn::TensorMap& tensors) const;
  void load(const nn::TensorMap& tensors, const data::ParallelCorpus& corpus);

 private:
  explicit MinimumRisk(const Options& options) : options_(options) {}

  const Options& options_;
  std::optional<std::vector<data::Contrast>> contrasts_;
};

}  // namespace xf::tools
