#include "tools/data_diversification.h"

#include <fmt/format.h>

#include "tools/progress.h"

namespace xf::tools {

namespace {

constexpr const char *kOfSources = "translations_of_sources", *kOfTargets = "translations_of_targets";

// Each rank has translated some of the sentences, and no other one has these.
data::Sequences of_all_ranks(data::Sequences own, Collective& ranks) {
  if (ranks.size() == 1) return own;
  std::vector<data::Sequences> of_ranks;
  for (const std::vector<int32_t>& numbers : gathered(data::packed(own), ranks))
    of_ranks.push_back(data::unpacked(numbers, own.size()));
  data::Sequences all;
  for (int64_t i = 0; i < own.size(); ++i) {
    std::vector<int32_t> ids;
    for (const data::Sequences& of_rank : of_ranks) {
      if (of_rank.length(i) > 0) ids = of_rank[i];
    }
    all.push_back(ids);
  }
  return all;
}

}  // namespace

DataDiversification::DataDiversification(const Options& options, const nn::TransformerConfig& model)
    : SelfTraining(options, options.get_int("data-diversification")) {
  if (model.quirks) fail(ErrorKind::usage, "data-diversification: knows no quirks; leave it out");
  if (options.get_int("bidirectional") < options.get_int("data-diversification"))
    fail(ErrorKind::usage,
         "data-diversification: after {} epochs the text is translated in both directions, which only the {} "
         "of bidirectional teach; raise these",
         options.get_int("data-diversification"), options.get_int("bidirectional"));
}

data::Sequences DataDiversification::translate_side(const nn::TranslationModel& model,
                                                    const Vocabularies& vocabularies,
                                                    const data::Sequences& sources, int64_t longest,
                                                    Collective& ranks) const {
  std::vector<std::vector<int32_t>> found(static_cast<size_t>(sources.size()));
  translate(model, vocabularies, sources, longest, 1, ranks,
            [&](int64_t sentence, std::vector<nn::Hypothesis>& hypotheses) {
              if (!hypotheses[0].cut) found[static_cast<size_t>(sentence)] = std::move(hypotheses[0].ids);
            });
  data::Sequences own;
  for (const std::vector<int32_t>& ids : found) own.push_back(ids);
  return of_all_ranks(std::move(own), ranks);
}

std::string DataDiversification::begin(const nn::TranslationModel& model, const Vocabularies& vocabularies,
                                       const data::ParallelCorpus& corpus, Collective& ranks) {
  const auto& [source, target] = std::tie(corpus.statistics.source, corpus.statistics.target);
  data::Sequences of_sources = translate_side(model, vocabularies, corpus.source, target.longest, ranks),
                  of_targets = translate_side(model, vocabularies, corpus.target, source.longest, ranks);
  own_ = {std::move(of_sources), std::move(of_targets)};
  return fmt::format(
      "data diversification: {} are read with the model's translations of either side from here on",
      counted(corpus.size(), "pair"));
}

data::ParallelCorpus DataDiversification::read(const data::ParallelCorpus& corpus, int64_t epoch) const {
  return own_ ? data::diversified(corpus, *own_, epoch) : corpus;
}

void DataDiversification::save(nn::TensorMap& tensors) const {
  if (!own_) return;
  tensors[kOfSources] = Tensor::from(data::packed(own_->of_sources));
  tensors[kOfTargets] = Tensor::from(data::packed(own_->of_targets));
}

void DataDiversification::load(const nn::TensorMap& tensors, const data::ParallelCorpus& corpus) {
  own_.reset();
  const auto of_sources = tensors.find(kOfSources), of_targets = tensors.find(kOfTargets);
  if (of_sources == tensors.end() || of_targets == tensors.end()) return;
  own_ = {data::unpacked(of_sources->second.to_vector<int32_t>(), corpus.size()),
          data::unpacked(of_targets->second.to_vector<int32_t>(), corpus.size())};
}

}  // namespace xf::tools
