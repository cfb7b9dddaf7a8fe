#include "tools/app/validation.h"
#include "tools/config/training_options.h"

#include <span>
#include <sstream>

#include "core/stop.h"
#include "data/vocabularies.h"
#include "tools/app/classification_validator.h"
#include "tools/app/language_model_validator.h"
#include "tools/app/translation_validator.h"

namespace xf::tools {

// Sums are made batch after batch, whoever measured it: the bits are those of one rank.
CorpusLoss corpus_loss(const nn::Model& model, Arena& arena, const std::vector<data::IndexedBatch>& batches,
                       Collective& ranks, const std::function<void(int64_t)>& done) {
  std::vector<double> of_batches(2 * batches.size());  // smoothed, plain; zero where another rank measures
  ranks.together([&] {
    for (auto i = static_cast<size_t>(ranks.rank()); i < batches.size();
         i += static_cast<size_t>(ranks.size())) {
      ranks.listen();
      check_stop();
      const nn::LossSums sums = nn::evaluate(model, arena, batches[i].batch);
      of_batches[2 * i] = sums.smoothed;
      of_batches[2 * i + 1] = sums.plain;
      if (done) done(std::ssize(batches[i].sentences));
    }
  });
  ranks.sum(std::span(of_batches));
  CorpusLoss loss;
  for (size_t i = 0; i < batches.size(); ++i) {
    const nn::LossSums sums{of_batches[2 * i], of_batches[2 * i + 1], batches[i].batch.target_tokens};
    loss.sums += sums;
    loss.mean_of_batches +=
        sums.plain / static_cast<double>(sums.tokens) / static_cast<double>(batches.size());
  }
  return loss;
}

CorpusLoss Validator::loss() const {
  const data::BatchSpecials specials = batch_specials(model_.config().type, vocabularies_);
  const data::BatchCapacity capacity = batch_capacity(options_, set_.corpus);
  return corpus_loss(
      model_, arena_,
      options_.batches.maxi_batch > 0
          ? data::packed_batches(set_.corpus, specials, data::sorted_batches(set_.corpus, capacity))
          : data::validation_batches(set_.corpus, specials, capacity),
      ranks_);
}

std::unique_ptr<Validator> make_validator(const TrainingOptions& options, const nn::Model& model,
                                          Arena& arena, const data::Vocabularies& vocabularies,
                                          const ValidationSet& set, Collective& ranks) {
  switch (model.config().type) {
    case nn::ModelType::translation:
      return std::make_unique<TranslationValidator>(options, model, arena, vocabularies, set, ranks);
    case nn::ModelType::language_model:
      return std::make_unique<LanguageModelValidator>(options, model, arena, vocabularies, set, ranks);
    case nn::ModelType::classification:
      return std::make_unique<ClassificationValidator>(options, model, arena, vocabularies, set, ranks);
  }
  return nullptr;
}

int64_t words_and_ends(const ValidationSet& set) {
  int64_t count = set.corpus.size();
  for (const int64_t line : set.corpus.lines) {
    std::istringstream words(set.text.target[static_cast<size_t>(line - 1)]);
    for (std::string word; words >> word;) ++count;
  }
  return count;
}

}  // namespace xf::tools
