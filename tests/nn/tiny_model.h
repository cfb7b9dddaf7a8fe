// A Transformer small enough for central differences, and what its tests share.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "nn/train/learning_rates.h"
#include "nn/train/trainer.h"
#include "nn/transformer.h"
#include "tests/nn/block_check.h"

namespace xf::tests {

inline nn::TransformerConfig tiny_config() {
  nn::TransformerConfig config;
  config.source_vocabulary = 13;
  config.target_vocabulary = 17;
  config.dim = 6;
  config.heads = 3;
  config.feed_forward = 10;
  config.encoder_layers = config.decoder_layers = 2;
  config.dropout = config.attention_dropout = config.feed_forward_dropout = 0.2f;
  config.label_smoothing = 0.1f;
  config.max_length = 60;
  return config;
}

template <typename Model>
struct Tiny {
  nn::ParameterStore store;
  Model model;
  Arena arena;
  Tiny(DType dtype, const nn::TransformerConfig& config, int64_t arena_bytes = Arena::kDefaultBlock,
       Device device = Device::cpu(), const std::vector<nn::RateRule>& rates = {},
       const Collective& shards = Collective::alone())
      : store(dtype), model(config, store), arena(device, arena_bytes) {
    nn::set_rates(store, rates);
    store.allocate(device, nn::ParameterStore::Gradients::yes, shards);
    model.bind(device);
    store.initialise(1);
  }

  // Adds the gradients of the batches, taken as the micro-batches of one update, in training;
  // returns the smoothed loss.
  double accumulate(const std::vector<PackedBatch>& batches, Tape::Mode mode = Tape::Mode::record,
                    const kernels::RepeatedLoss* of_readings = nullptr) {
    const Tensor sums = Tensor::zeros({2}, accumulator_of(store.dtype()), arena.device());
    int32_t source = 0, target = 0;
    for (const PackedBatch& batch : batches) {
      const Tensor counters = Tensor::from(Ids{5, source, 5, target}, {2, 2}).to(arena.device());
      Tape tape(arena, mode);
      nn::ForwardContext context{.tape = tape, .training = true, .seed = 99, .loss = of_readings};
      const Variable loss = model.loss(context, batch.to(arena.device()), counters, sums);
      if (mode == Tape::Mode::record) tape.backward(loss);
      source += static_cast<int32_t>(batch.source_tokens);
      target += static_cast<int32_t>(batch.target_tokens);
    }
    return as_doubles(sums)[0];
  }
};

struct TinyModel : Tiny<nn::Transformer> {
  using Tiny::Tiny;
  nn::Transformer& transformer = model;
};

// The element with the largest gradient and three others.
inline std::vector<int64_t> sampled_elements(const Tensor& gradient) {
  const auto values = gradient.to_vector<double>();
  const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
  std::vector<int64_t> elements{std::max_element(values.begin(), values.end(), larger) - values.begin()};
  PhiloxSequence random(3, static_cast<uint64_t>(gradient.numel()));
  for (int i = 0; i < 3; ++i) elements.push_back(random.below(static_cast<uint32_t>(gradient.numel())));
  return elements;
}

// Of some elements of every parameter, against central differences; an f64 model.
template <typename Model>
Worst sampled_gradient_error(Tiny<Model>& model, const PackedBatch& batch) {
  model.accumulate({batch});
  Worst worst;
  for (const nn::Parameter& parameter : model.store.parameters()) {
    for (const int64_t i : sampled_elements(parameter.gradient)) {
      const auto one = [i](const Tensor& x) { return x.reshape({x.numel()}).slice_rows(i, i + 1); };
      const auto loss = [&] { return model.accumulate({batch}, Tape::Mode::inference); };
      worst.meet(gradient_error(loss, one(parameter.value), one(parameter.gradient), 1e-5, 1e-2),
                 parameter.name);
    }
  }
  return worst;
}

inline double worst_difference(const std::map<std::string, Tensor>& actual,
                               const std::map<std::string, Tensor>& expected) {
  double largest = 0, worst = 0;
  for (const auto& [name, gradient] : expected) {
    for (const double value : as_doubles(gradient)) largest = std::max(largest, std::abs(value));
  }
  for (const auto& [name, gradient] : expected) {
    // Floor: the gradient of the keys' bias is zero in exact arithmetic.
    worst = std::max(worst, max_relative_error(actual.at(name), gradient, 0.1 * largest));
  }
  return worst;
}

}  // namespace xf::tests
