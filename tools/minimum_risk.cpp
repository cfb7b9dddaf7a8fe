#include "tools/minimum_risk.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "tools/progress.h"

namespace xf::tools {

namespace {

constexpr const char* kContrasts = "contrasts";

// Whole translations that say something.
std::vector<data::Candidate> candidates_among(std::vector<nn::Hypothesis>& hypotheses,
                                              const data::Tokenizer& target) {
  std::vector<data::Candidate> candidates;
  for (nn::Hypothesis& hypothesis : hypotheses) {
    if (hypothesis.cut || hypothesis.ids.empty()) continue;
    std::string text = target.decode(hypothesis.ids);
    candidates.push_back({std::move(hypothesis.ids), std::move(text)});
  }
  return candidates;
}

std::vector<data::Contrast> of_all_ranks(const std::vector<data::Contrast>& own,
                                         const data::ParallelCorpus& corpus, Collective& ranks) {
  if (ranks.size() == 1) return own;
  std::vector<data::Contrast> all;
  for (const std::vector<int32_t>& of_rank : gathered(data::packed(own), ranks))
    std::ranges::move(data::unpacked(of_rank, corpus), std::back_inserter(all));
  std::ranges::sort(all, {}, &data::Contrast::pair);
  return all;
}

}  // namespace

MinimumRisk::MinimumRisk(const Options& options, const nn::TransformerConfig& model)
    : SelfTraining(options, options.get_int("minimum-risk-after")) {
  if (model.type != nn::ModelType::translation || model.quirks)
    fail(ErrorKind::usage, "minimum-risk: is for translation, without quirks; leave it out");
  if (options.get_float("r-drop") > 0)
    fail(ErrorKind::usage, "minimum-risk: does not go with r-drop; choose one");
  if (options.get_int("beam-size") < 2)
    fail(ErrorKind::usage, "minimum-risk: compares the translations of a beam; beam-size must be 2 or more");
  if (options.get_int("minimum-risk-after") < options.get_int("bidirectional"))
    fail(ErrorKind::usage, "minimum-risk-after: {} epochs end before the {} of bidirectional; raise it",
         options.get_int("minimum-risk-after"), options.get_int("bidirectional"));
}

std::vector<data::Contrast> MinimumRisk::find(const nn::TranslationModel& model,
                                              const Vocabularies& vocabularies,
                                              const data::ParallelCorpus& corpus, Collective& ranks) const {
  const data::Tokenizer& target = *vocabularies.target;
  const bool lowercase = options_.get_bool("lowercase");
  std::vector<data::Contrast> contrasts;
  std::mutex finding;
  translate(model, vocabularies, corpus.source, corpus.statistics.target.longest,
            options_.get_int("beam-size"), ranks, [&](int64_t pair, std::vector<nn::Hypothesis>& hypotheses) {
              auto contrast = data::contrast(pair, candidates_among(hypotheses, target),
                                             target.decode(corpus.target[pair]), lowercase);
              if (!contrast) return;
              const std::scoped_lock lock(finding);
              contrasts.push_back(std::move(*contrast));
            });
  std::ranges::sort(contrasts, {}, &data::Contrast::pair);
  return of_all_ranks(contrasts, corpus, ranks);
}

std::string MinimumRisk::begin(const nn::TranslationModel& model, const Vocabularies& vocabularies,
                               const data::ParallelCorpus& corpus, Collective& ranks) {
  contrasts_ = find(model, vocabularies, corpus, ranks);
  double differences = 0;
  for (const data::Contrast& contrast : *contrasts_) differences += static_cast<double>(contrast.difference);
  const auto count = static_cast<int64_t>(contrasts_->size());
  return fmt::format(
      "minimum risk: of {} of {} the best and the worst translation are learnt from here on, {:.1f} BLEU "
      "apart",
      grouped(count), counted(corpus.size(), "pair"),
      100 * differences / static_cast<double>(std::max<int64_t>(count, 1)));
}

data::ParallelCorpus MinimumRisk::read(const data::ParallelCorpus& corpus, int64_t epoch) const {
  if (!contrasts_) return corpus;
  return data::contrasted(corpus, *contrasts_, options_.get_float("minimum-risk"), epoch);
}

void MinimumRisk::save(nn::TensorMap& tensors) const {
  if (contrasts_) tensors[kContrasts] = Tensor::from(data::packed(*contrasts_));
}

void MinimumRisk::load(const nn::TensorMap& tensors, const data::ParallelCorpus& corpus) {
  contrasts_.reset();
  const auto found = tensors.find(kContrasts);
  if (found != tensors.end()) contrasts_ = data::unpacked(found->second.to_vector<int32_t>(), corpus);
}

}  // namespace xf::tools
