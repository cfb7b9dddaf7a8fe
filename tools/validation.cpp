#include "tools/validation.h"

#include <sstream>

#include "core/stop.h"
#include "tools/classification_validator.h"
#include "tools/language_model_validator.h"
#include "tools/translation_validator.h"

namespace xf::tools {

nn::LossSums Validator::loss() const {
  return corpus_loss(model_, arena_, vocabularies_, set_.corpus, options_.get_int("mini-batch-words"));
}

double Validator::mean_loss() const {
  const nn::LossSums sums = loss();
  return sums.plain / static_cast<double>(sums.tokens);
}

std::unique_ptr<Validator> make_validator(const Options& options, const nn::Model& model, Arena& arena,
                                          const Vocabularies& vocabularies, const ValidationSet& set) {
  switch (model.config().type) {
    case nn::ModelType::translation:
      return std::make_unique<TranslationValidator>(options, model, arena, vocabularies, set);
    case nn::ModelType::language_model:
      return std::make_unique<LanguageModelValidator>(options, model, arena, vocabularies, set);
    case nn::ModelType::classification:
      return std::make_unique<ClassificationValidator>(options, model, arena, vocabularies, set);
  }
  return nullptr;
}

nn::LossSums corpus_loss(const nn::Model& model, Arena& arena, const Vocabularies& vocabularies,
                         const data::ParallelCorpus& corpus, int64_t mini_batch_words) {
  nn::LossSums total;
  const nn::ModelType type = model.config().type;
  for (const data::IndexedBatch& indexed : data::validation_batches(
           corpus, batch_specials(type, vocabularies), batch_capacity(type, mini_batch_words))) {
    check_stop();
    const nn::LossSums sums = nn::evaluate(model, arena, indexed.batch);
    total.smoothed += sums.smoothed;
    total.plain += sums.plain;
    total.tokens += sums.tokens;
  }
  return total;
}

int64_t words_and_ends(const std::vector<std::string>& lines) {
  auto count = static_cast<int64_t>(lines.size());
  for (const std::string& line : lines) {
    std::istringstream words(line);
    for (std::string word; words >> word;) ++count;
  }
  return count;
}

}  // namespace xf::tools
