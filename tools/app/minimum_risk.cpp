#include "tools/app/minimum_risk.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "data/score/fitting_bleu_tokenizer.h"
#include "data/vocabularies.h"
#include "tools/config/model_config.h"
#include "tools/console/progress.h"
#include "tools/inference/translator.h"

namespace xf::tools {

namespace {

constexpr const char* kContrasts = "contrasts";

nn::SearchOptions search_options(const Options& options, const data::Vocabularies& vocabularies,
                                 const data::ParallelCorpus& corpus) {
  const int64_t beam = options.get_int("beam-size");
  return with_specials(
      {.beam_size = beam,
       .normalize = static_cast<float>(options.get_float("normalize")),
       .max_length = std::min(corpus.statistics.target.longest + 1, nn::Model::kMaxPositions),
       .n_best = beam},
      *vocabularies.target);
}

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
  const std::vector<int32_t> numbers = data::packed(own);
  std::vector<data::Contrast> all;
  for (const std::string& bytes :
       ranks.gather({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(int32_t)})) {
    std::vector<int32_t> of_rank(bytes.size() / sizeof(int32_t));
    std::memcpy(of_rank.data(), bytes.data(), of_rank.size() * sizeof(int32_t));
    std::ranges::move(data::unpacked(of_rank, corpus), std::back_inserter(all));
  }
  std::ranges::sort(all, {}, &data::Contrast::pair);
  return all;
}

// BLEU by a tokeniser that fits the targets, some of which tell.
data::BleuOptions scoring(const Options& options, const data::Vocabularies& vocabularies,
                          const data::ParallelCorpus& corpus) {
  constexpr int64_t kEnough = 2000;
  data::BleuOptions bleu{.lowercase = options.get_bool("lowercase")};
  if (options.is_set("tokenize")) {
    bleu.tokenizer = data::bleu_tokenizer_from_name(options.get_string("tokenize"));
    return bleu;
  }
  std::vector<std::string> targets;
  for (int64_t pair = 0; pair < std::min(corpus.size(), kEnough); ++pair)
    targets.push_back(vocabularies.target->decode(corpus.target[pair]));
  bleu.tokenizer = data::fitting_bleu_tokenizer(targets).tokenizer;
  return bleu;
}

std::vector<data::Contrast> find_contrasts(const Options& options, const nn::TranslationModel& model,
                                           const data::Vocabularies& vocabularies,
                                           const data::ParallelCorpus& corpus, Collective& ranks) {
  const Device device = set_up_device(options);
  const nn::SearchOptions search = search_options(options, vocabularies, corpus);
  const auto batches = data::translation_batches(corpus.source, vocabularies.source->eos_id(),
                                                 kSourceTokensPerBatch, options.get_int("valid-mini-batch"));
  std::vector<data::Contrast> found;
  std::mutex finding;
  const data::BleuOptions bleu = scoring(options, vocabularies, corpus);
  const auto compare = [&](int64_t pair, std::vector<nn::Hypothesis>& hypotheses) {
    return data::contrast(pair, candidates_among(hypotheses, *vocabularies.target),
                          vocabularies.target->decode(corpus.target[pair]), bleu);
  };
  Arena arena(device);
  // Of several ranks one thread alone may listen to the others.
  const int workers = ranks.size() == 1 ? workers_on(device) : 1;
  ranks.together([&] {
    for_each_batch(batches, arena, workers, ranks.share(),
                   [&](const data::IndexedBatch& indexed, Arena& own) {
                     auto hypotheses = nn::Search(model, own, search).translate(indexed.batch);
                     std::vector<data::Contrast> of_batch;
                     for (size_t b = 0; b < hypotheses.size(); ++b) {
                       if (auto contrast = compare(indexed.sentences[b], hypotheses[b]))
                         of_batch.push_back(std::move(*contrast));
                     }
                     const std::scoped_lock lock(finding);
                     std::ranges::move(of_batch, std::back_inserter(found));
                     ranks.listen();
                   });
  });
  std::ranges::sort(found, {}, &data::Contrast::pair);
  return of_all_ranks(found, corpus, ranks);
}

void check(const Options& options, const nn::TransformerConfig& model) {
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

}  // namespace

std::shared_ptr<MinimumRisk> MinimumRisk::of(const Options& options, const nn::TransformerConfig& model) {
  if (options.get_float("minimum-risk") == 0) return nullptr;
  check(options, model);
  return std::shared_ptr<MinimumRisk>(new MinimumRisk(options));
}

bool MinimumRisk::due(int64_t epoch) const {
  return !contrasts_ && epoch >= options_.get_int("minimum-risk-after");
}

std::string MinimumRisk::begin(const nn::TranslationModel& model, const data::Vocabularies& vocabularies,
                               const data::ParallelCorpus& corpus, Collective& ranks) {
  contrasts_ = find_contrasts(options_, model, vocabularies, corpus, ranks);
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
