// The loss of a model as it is used: no dropout, nothing is recorded.
#pragma once

#include <vector>

#include "core/arena.h"
#include "nn/model.h"

namespace xf::nn {

// Sums over tokens, in nats.
struct LossSums {
  double smoothed = 0;  // what is minimised
  double plain = 0;     // -log p(target)
  int64_t tokens = 0;   // target tokens with </s>
  LossSums& operator+=(const LossSums& other) {
    smoothed += other.smoothed;
    plain += other.plain;
    tokens += other.tokens;
    return *this;
  }
};

// `arena`: of the model's device.
LossSums evaluate(const Model& model, Arena& arena, const PackedBatch& batch);

// The elements of a tensor on any device; zeros where there is no memory.
std::vector<double> read_values(const Tensor& tensor);

}  // namespace xf::nn
