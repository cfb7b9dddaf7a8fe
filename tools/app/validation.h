// How good the model is now: loss and scores on text it is not trained on. What is measured depends
// on the type of the model: a class for each.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/dist/collective.h"
#include "data/vocabularies.h"
#include "nn/evaluation.h"
#include "nn/train/training_loop.h"
#include "tools/config/training_options.h"
#include "tools/report/validation_result.h"
#include "tools/setup/task_data.h"

namespace xf::tools {

// Nats, labels not smoothed.
struct CorpusLoss {
  nn::LossSums sums;
  double mean_of_batches = 0;  // the mean of their means: what two tutorials call the loss
  double mean() const { return sums.plain / static_cast<double>(sums.tokens); }  // per target token
};
// Throws Stopped between batches. Of several ranks each measures its share of them. `done` gets the
// number of sentences of each batch when it has been measured.
CorpusLoss corpus_loss(const nn::Model& model, Arena& arena, const std::vector<data::IndexedBatch>& batches,
                       Collective& ranks = Collective::alone(),
                       const std::function<void(int64_t sentences)>& done = {});

class Validator {
 public:
  virtual ~Validator() = default;

  // Throws Stopped between batches. Every rank asks, does its share, and gets the same scores.
  ValidationResult validate() { return measure(options_.validation.valid_metrics); }
  // By the first of --valid-metrics alone.
  nn::MetricScore first_score() {
    return measure({options_.validation.valid_metrics.front()}).scores.front();
  }
  virtual FinalScore score() = 0;

 protected:
  virtual ValidationResult measure(const std::vector<std::string>& metrics) = 0;

  // The arguments must outlive the object; the arena serves the loss.
  Validator(const TrainingOptions& options, const nn::Model& model, Arena& arena,
            const data::Vocabularies& vocabularies, const ValidationSet& set, Collective& ranks)
      : options_(options),
        model_(model),
        arena_(arena),
        vocabularies_(vocabularies),
        set_(set),
        ranks_(ranks) {}

  CorpusLoss loss() const;

  const TrainingOptions& options_;
  const nn::Model& model_;
  Arena& arena_;
  const data::Vocabularies& vocabularies_;
  const ValidationSet& set_;
  Collective& ranks_;
};

// For the model's type.
std::unique_ptr<Validator> make_validator(const TrainingOptions& options, const nn::Model& model,
                                          Arena& arena, const data::Vocabularies& vocabularies,
                                          const ValidationSet& set, Collective& ranks = Collective::alone());

// Words of the target apart by spaces, and the end of each line, of the lines that are not left
// out: what a loss is divided by that does not depend on the vocabulary.
int64_t words_and_ends(const ValidationSet& set);

}  // namespace xf::tools
