#include "tools/formats/compare_models.h"

#include <algorithm>
#include <cmath>

#include "core/arena.h"
#include "core/philox.h"
#include "data/batches.h"
#include "nn/teacher_forced.h"
#include "nn/transformer.h"

namespace xf::tools::exchange {

namespace {

constexpr int kPairs = 12;
constexpr uint32_t kMostWords = 16;  // of a sentence

std::vector<int32_t> random_sentence(PhiloxSequence& random, int32_t vocabulary, int64_t most) {
  std::vector<int32_t> ids(1 + random.below(static_cast<uint32_t>(std::min<int64_t>(kMostWords, most))));
  for (int32_t& id : ids) id = static_cast<int32_t>(random.below(static_cast<uint32_t>(vocabulary)));
  return ids;
}

data::ParallelCorpus random_pairs(const ExchangedModel& model) {
  data::ParallelCorpus pairs;
  PhiloxSequence random(1, 0);
  const int64_t most = nn::most_tokens(model.config) - 1;
  for (int i = 0; i < kPairs; ++i) {
    pairs.source.push_back(random_sentence(random, model.vocabularies.source->size(), most));
    pairs.target.push_back(random_sentence(random, model.vocabularies.target->size(), most));
  }
  return pairs;
}

// log p of each target token.
std::vector<double> log_probabilities(const ExchangedModel& model, const data::ParallelCorpus& pairs) {
  nn::ParameterStore store;
  nn::Transformer transformer(model.config, store);
  store.allocate(Device::cpu(), nn::ParameterStore::Gradients::no);
  transformer.bind(Device::cpu());
  nn::load_model(model.tensors, store, model.where);
  Arena arena(Device::cpu());
  const auto specials = data::batch_specials(*model.vocabularies.source, *model.vocabularies.target);
  std::vector<double> all;
  for (const data::IndexedBatch& indexed : data::validation_batches(
           pairs, specials, {.target_tokens = 256, .source_tokens = 256, .sentences = kPairs})) {
    for (const auto& of_sentence : nn::log_probabilities(transformer, arena, indexed.batch))
      all.insert(all.end(), of_sentence.begin(), of_sentence.end());
  }
  return all;
}

}  // namespace

double largest_difference(const ExchangedModel& a, const ExchangedModel& b) {
  const data::ParallelCorpus pairs = random_pairs(a);
  const std::vector<double> left = log_probabilities(a, pairs), right = log_probabilities(b, pairs);
  XF_CHECK(left.size() == right.size(), "exchange: {} and {} tokens", left.size(), right.size());
  double largest = 0;
  for (size_t i = 0; i < left.size(); ++i) largest = std::max(largest, std::abs(left[i] - right[i]));
  return largest;
}

}  // namespace xf::tools::exchange
