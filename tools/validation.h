// How good the model is now: loss and scores on text it is not trained on.
#pragma once

#include <string>
#include <vector>

#include "data/batches.h"
#include "data/bleu.h"
#include "nn/training_loop.h"
#include "tools/translator.h"

namespace xf::tools {

// Sources as they are translated, references as they are scored.
struct ValidationSet {
  data::ParallelText text;      // prepared lines
  data::ParallelCorpus corpus;  // encoded, nothing dropped
};

struct ValidationResult {
  std::vector<nn::Score> scores;  // as --valid-metrics lists them
  std::string bleu_signature;     // empty without BLEU
  std::vector<std::string>
      samples;  // lines that show the sentences of --valid-print; none without translation
};

class Validator {
 public:
  // The arguments must outlive the object.
  Validator(const Options& options, const nn::Transformer& model, nn::Trainer& trainer,
            const Vocabularies& vocabularies, const ValidationSet& set);

  // Throws Stopped between batches.
  ValidationResult validate();
  // Best translation of each source.
  std::vector<std::string> translations(int64_t beam);
  data::BleuScore bleu(const std::vector<std::string>& translations) const;

 private:
  // Nats per target token, labels not smoothed.
  struct Losses {
    double mean_of_words = 0, mean_of_batches = 0;
  };
  Losses losses();
  double compat_bleu();  // along the references (tools/teacher_forcing.h)
  std::vector<std::string> samples(const std::vector<std::string>& translations) const;

  const Options& options_;
  const nn::Transformer& model_;
  nn::Trainer& trainer_;
  const Vocabularies& vocabularies_;
  const ValidationSet& set_;
  Arena arena_;  // of the search
};

}  // namespace xf::tools
