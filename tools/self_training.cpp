#include "tools/self_training.h"

#include <cstring>

#include "core/parallel.h"
#include "tools/data_diversification.h"
#include "tools/minimum_risk.h"
#include "tools/model_config.h"
#include "tools/translator.h"

namespace xf::tools {

std::shared_ptr<SelfTraining> SelfTraining::of(const Options& options, const nn::TransformerConfig& model) {
  const bool diversifies = options.get_int("data-diversification") > 0,
             reduces_risk = options.get_float("minimum-risk") > 0;
  if (diversifies && reduces_risk)
    fail(ErrorKind::usage, "data-diversification: does not go with minimum-risk; choose one");
  if (diversifies) return std::make_shared<DataDiversification>(options, model);
  if (reduces_risk) return std::make_shared<MinimumRisk>(options, model);
  return nullptr;
}

void SelfTraining::translate(const nn::TranslationModel& model, const Vocabularies& vocabularies,
                             const data::Sequences& sources, int64_t longest, int64_t n_best,
                             Collective& ranks,
                             const std::function<void(int64_t, std::vector<nn::Hypothesis>&)>& found) const {
  const Device device = set_up_device(options_);
  const nn::SearchOptions search =
      with_specials({.beam_size = options_.get_int("beam-size"),
                     .normalize = static_cast<float>(options_.get_float("normalize")),
                     .max_length = longest + 1,
                     .n_best = n_best},
                    *vocabularies.target);
  const auto batches = data::translation_batches(sources, vocabularies.source->eos_id(),
                                                 kSourceTokensPerBatch, options_.get_int("valid-mini-batch"));
  Arena arena(device);
  // Of several ranks one thread alone may listen to the others.
  const int workers = device == Device::cpu() && ranks.size() == 1 ? thread_count() : 1;
  ranks.together([&] {
    for_each_batch(batches, arena, workers, ranks.share(),
                   [&](const data::IndexedBatch& indexed, Arena& own) {
                     auto hypotheses = nn::Search(model, own, search).translate(indexed.batch);
                     for (size_t b = 0; b < hypotheses.size(); ++b)
                       found(indexed.sentences[b], hypotheses[b]);
                     ranks.listen();
                   });
  });
}

std::vector<std::vector<int32_t>> gathered(const std::vector<int32_t>& numbers, Collective& ranks) {
  std::vector<std::vector<int32_t>> of_ranks;
  for (const std::string& bytes :
       ranks.gather({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(int32_t)})) {
    std::vector<int32_t>& of_rank = of_ranks.emplace_back(bytes.size() / sizeof(int32_t));
    std::memcpy(of_rank.data(), bytes.data(), of_rank.size() * sizeof(int32_t));
  }
  return of_ranks;
}

}  // namespace xf::tools
