// A model small enough that every value, node and gradient can be looked at, with words and fixed
// random weights: so there is something to see before there is a model of one's own.
#pragma once

#include <string>
#include <vector>

#include "core/packed_batch.h"
#include "nn/transformer.h"

namespace xf::tools::explain {

// Width 8, two heads, 16 inner values, on the CPU; gradients are allocated.
struct MicroModel {
  MicroModel(DType dtype, int64_t layers);  // on either side
  MicroModel(const MicroModel&) = delete;
  MicroModel& operator=(const MicroModel&) = delete;

  nn::ParameterStore store;
  nn::Transformer transformer;

  static const std::vector<std::string> source_words, target_words;  // by id
  static const int32_t bos, eos;                                     // of the target
  // "a small dog sleeps" and a translation with these ids, or with the reference's.
  static PackedBatch sentence(const std::vector<int32_t>& target);
  static PackedBatch sentence();
};

}  // namespace xf::tools::explain
