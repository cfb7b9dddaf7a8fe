// Learning from what the model itself has made: from an epoch on the training text is read with its own translations.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/collective.h"
#include "data/parallel_corpus.h"
#include "nn/safetensors.h"
#include "nn/search.h"
#include "nn/translation_model.h"
#include "tools/options.h"
#include "tools/vocabularies.h"

namespace xf::tools {

class SelfTraining {
 public:
  // What --data-diversification or --minimum-risk asks for; null without. Error usage for both, and for options that one does
  // not go with. The options must outlive the object.
  static std::shared_ptr<SelfTraining> of(const Options& options, const nn::TransformerConfig& model);
  virtual ~SelfTraining() = default;

  // Whether it is to begin, where the next batch is of epoch `epoch`.
  bool due(int64_t epoch) const { return epoch >= after_ && !begun(); }
  // Translates the text, by the model as it is now. Every rank asks, does its share, and gets all. Returns a line for the log.
  // Throws Stopped between batches: then it has not begun.
  virtual std::string begin(const nn::TranslationModel& model, const Vocabularies& vocabularies,
                            const data::ParallelCorpus& corpus, Collective& ranks) = 0;

  // The corpus as an epoch reads it; until it has begun, as it is.
  virtual data::ParallelCorpus read(const data::ParallelCorpus& corpus, int64_t epoch) const = 0;

  // Into the tensors of a checkpoint, and back; nothing there: it has not begun.
  virtual void save(nn::TensorMap& tensors) const = 0;
  virtual void load(const nn::TensorMap& tensors, const data::ParallelCorpus& corpus) = 0;

 protected:
  // Begins behind `after` epochs.
  SelfTraining(const Options& options, int64_t after) : options_(options), after_(after) {}
  virtual bool begun() const = 0;

  // One side of the text, by a beam of --beam-size. `found` gets the number of each sentence of this rank's share and what was found,
  // `n_best` at most and none of more than `longest` ids, on any thread and in any order.
  void translate(const nn::TranslationModel& model, const Vocabularies& vocabularies,
                 const data::Sequences& sources, int64_t longest, int64_t n_best, Collective& ranks,
                 const std::function<void(int64_t, std::vector<nn::Hypothesis>&)>& found) const;

  const Options& options_;

 private:
  int64_t after_;
};

// What every rank gives, in their order.
std::vector<std::vector<int32_t>> gathered(const std::vector<int32_t>& numbers, Collective& ranks);

}  // namespace xf::tools
