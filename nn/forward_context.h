// What every layer needs to know about the pass it takes part in.
#pragma once

#include "autograd/tape.h"
#include "kernels/cross_entropy.h"
#include "kernels/dropout.h"
#include "kernels/matmul.h"
#include "kernels/rotary.h"
#include "nn/parameter_store.h"
#include "nn/trace.h"

namespace xf::nn {

using autograd::Tape;
using autograd::Variable;

// By how much queries and keys are turned for their places (kernels/rotary.h); undefined, and
// nothing is turned, in a model that adds its positions to its embeddings.
struct Rotary {
  Tensor positions;  // i32 [T]
  Tensor table;      // [S, Dh], Acc

  bool turns() const { return table.defined(); }
  // x [T, D] is written; a view of some columns, too.
  void turn(Out x) const {
    if (turns()) kernels::rotary_forward(x, positions, table, x);
  }
  // The gradient of what was turned, made that of what it was turned from.
  void turn_back(Out dx) const {
    if (turns()) kernels::rotary_backward(dx, positions, table, dx);
  }
};

// The tokens of one side of a batch, packed.
struct Tokens {
  Tensor offsets;          // i32 [B+1] (cu_seqlens)
  int64_t max_length = 0;  // AttentionShape::max_keys of these tokens
  Tensor counter;          // i32 [2]: {update, number of the first token in the update}; read by
                           // dropout only
  Rotary rotary = {};
};

struct ForwardContext {
  Tape& tape;
  bool training = false;  // dropout is on
  uint64_t seed = 0;      // of the dropout masks
  // Of a repeated batch, when gradients are wanted; null: cross-entropy.
  const kernels::RepeatedLoss* loss = nullptr;
  // How the gradient of a parameter that one layer alone uses is stored. `no`: written, in an
  // update's first micro-batch; on a GPU this saves a kernel for each bias. `yes`: accumulated.
  // Tied weights always accumulate.
  kernels::Accumulate weight_gradient_mode = kernels::Accumulate::yes;
  Trace* trace = nullptr;

  kernels::Dropout dropout(float p, uint32_t site, const Tokens& tokens) const {
    if (!training || p == 0) return {};
    return {p, seed, site, tokens.counter};
  }
  Tensor allocate(Shape shape, DType dtype) const { return tape.allocate(shape, dtype); }
  void show(std::string_view block, std::string_view equation, std::string_view symbol, const Tensor& value,
            const std::source_location& line = std::source_location::current()) const {
    if (!trace) return;
    trace->at(line);
    trace->value(block, equation, symbol, value);
  }
};

}  // namespace xf::nn
