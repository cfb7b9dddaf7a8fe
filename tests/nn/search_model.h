// A small Transformer with random weights for the tests of search, and its log-probabilities
// without a cache: what the search is compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/philox.h"
#include "nn/decode/search.h"
#include "nn/transformer.h"

namespace xf::nn::search_tests {

using Ids = std::vector<int32_t>;
constexpr int32_t kPad = 0, kUnk = 1, kBos = 2, kEos = 3, kFirstWord = 4;

inline TransformerConfig small_config(int64_t vocabulary) {
  TransformerConfig config;
  config.source_vocabulary = 12;
  config.target_vocabulary = vocabulary;
  config.dim = 16;
  config.heads = 2;
  config.feed_forward = 24;
  config.encoder_layers = 2;
  config.decoder_layers = 2;
  config.max_length = 30;
  return config;
}

// Random weights. The output layer is made steep, so that hypotheses differ clearly, and </s>
// likely.
struct SearchModel {
  ParameterStore store;
  Transformer transformer;
  Arena arena{Device::cpu()};

  SearchModel(DType dtype, const TransformerConfig& config, uint64_t seed, double eos_bias = 1.5)
      : store(dtype), transformer(config, store) {
    store.allocate(Device::cpu(), ParameterStore::Gradients::no);
    store.initialise(seed);
    transformer.bind(Device::cpu());
    PhiloxSequence random(seed, 1000);
    const Tensor weight = store.find("output.weight").value, bias = store.find("output.bias").value;
    for (int64_t i = 0; i < weight.numel(); ++i) set(weight, i, 4.0 * random.uniform() - 2.0);
    for (int64_t i = 0; i < bias.numel(); ++i) set(bias, i, i == kEos ? eos_bias : 0.0);
  }

  static void set(const Tensor& tensor, int64_t i, double value) {
    if (tensor.dtype() == DType::f64) {
      tensor.data<double>()[i] = value;
    } else {
      tensor.data<float>()[i] = static_cast<float>(value);
    }
  }
};

struct Side {
  Ids ids, positions, offsets{0};
  int64_t longest = 0;
  void add(const Ids& sentence) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    for (size_t i = 0; i < sentence.size(); ++i) positions.push_back(static_cast<int32_t>(i));
    longest = std::max(longest, static_cast<int64_t>(sentence.size()));
    offsets.push_back(static_cast<int32_t>(ids.size()));
  }
};

// Sources without </s>. targets: what the decoder reads, from <s> on; none for a translation batch.
inline PackedBatch make_batch(const std::vector<Ids>& sources, const std::vector<Ids>& targets = {}) {
  Side source, target;
  for (Ids sentence : sources) {
    sentence.push_back(kEos);
    source.add(sentence);
  }
  for (const Ids& sentence : targets) target.add(sentence);
  PackedBatch batch;
  batch.sentences = static_cast<int64_t>(sources.size());
  batch.source_ids = Tensor::from(source.ids);
  batch.source_positions = Tensor::from(source.positions);
  batch.source_offsets = Tensor::from(source.offsets);
  batch.source_tokens = batch.source_ids.numel();
  batch.longest_source = source.longest;
  if (targets.empty()) return batch;
  batch.target_in = Tensor::from(target.ids);
  batch.target_positions = Tensor::from(target.positions);
  batch.target_offsets = Tensor::from(target.offsets);
  batch.target_tokens = batch.target_in.numel();
  batch.longest_target = target.longest;
  return batch;
}

// log p of every next token after each prefix (which begins with <s>), all of it decoded anew,
// without a cache: the decoder of training, and log softmax from its definition in f64.
inline std::vector<std::vector<double>> uncached_log_probabilities(SearchModel& model, const Ids& source,
                                                                   const Ids& prefix) {
  Tape tape(model.arena, Tape::Mode::inference);
  ForwardContext context{tape};
  const PackedBatch batch = make_batch({source}, {prefix});
  const Variable memory = model.transformer.encode(context, batch, Tensor());
  const Tensor states = model.transformer.decode(context, batch, memory, Tensor()).value();
  const Tensor z = model.transformer.logits(context, states);
  std::vector<std::vector<double>> rows;
  for (int64_t t = 0; t < z.rows(); ++t) {
    const Tensor row = z.slice_rows(t, t + 1);
    std::vector<double> values;
    if (z.dtype() == DType::f64) {
      values = row.to_vector<double>();
    } else {
      for (const float value : row.to_vector<float>()) values.push_back(static_cast<double>(value));
    }
    double sum = 0;
    for (const double value : values) sum += std::exp(value);
    for (double& value : values) value -= std::log(sum);
    rows.push_back(values);
  }
  return rows;
}

inline SearchOptions options_for(int64_t beam) {
  SearchOptions options;
  options.beam_size = beam;
  options.n_best = beam;
  options.bos = kBos;
  options.eos = kEos;
  options.unk = kUnk;
  options.pad = kPad;
  return options;
}

inline std::vector<Ids> random_sources(int64_t count, uint64_t seed) {
  PhiloxSequence random(seed, 0);
  std::vector<Ids> sources(static_cast<size_t>(count));
  for (Ids& source : sources) {
    source.resize(1 + static_cast<size_t>(random.uniform() * 9));
    for (int32_t& id : source) id = kFirstWord + static_cast<int32_t>(random.uniform() * 8);
  }
  return sources;
}

inline bool allowed(int32_t id) { return id != kPad && id != kUnk && id != kBos; }

// Sum of log p over a hypothesis's tokens, </s> included unless it was cut, from one uncached pass.
inline double uncached_log_probability(SearchModel& model, const Ids& source, const Hypothesis& hypothesis) {
  Ids prefix{kBos}, next = hypothesis.ids;
  prefix.insert(prefix.end(), next.begin(), next.end());
  if (hypothesis.cut) {
    prefix.pop_back();
  } else {
    next.push_back(kEos);
  }
  const auto rows = uncached_log_probabilities(model, source, prefix);
  double sum = 0;
  for (size_t i = 0; i < next.size(); ++i) sum += rows[i][static_cast<size_t>(next[i])];
  return sum;
}

}  // namespace xf::nn::search_tests
