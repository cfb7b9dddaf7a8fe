// Functions built on a tape, their derivatives, and these against central differences.
#pragma once

#include <functional>
#include <vector>

#include "autograd/ops.h"
#include "tests/support/compare.h"
#include "tests/support/gradcheck.h"

namespace xf::tests {

using autograd::Tape;
using autograd::Variable;
using Variables = std::vector<Variable>;
using Function = std::function<Variable(Tape&, const Variables&)>;

constexpr int64_t kTestArena = 4 << 20;

inline Tensor evaluate(Arena& arena, const Function& f, const std::vector<Tensor>& inputs) {
  Tape tape(arena, Tape::Mode::inference);
  return f(tape, Variables(inputs.begin(), inputs.end())).value();
}

// The first half of the arena's memory holds NaN when it is handed out.
inline void poison(Arena& arena) {
  const Tensor memory = arena.allocate({kTestArena / 16}, DType::f64);
  std::fill_n(memory.data<double>(), memory.numel(), std::numeric_limits<double>::quiet_NaN());
}

struct Derivatives {
  Tensor value;
  std::vector<Tensor> gradients;  // of sum_i value_i weights_i, one per input
};

// `leaves`: the inputs are leaves, so that closures add to a gradient that exists; else the results
// of nodes, so that closures write the first contribution into uninitialised memory.
inline Derivatives differentiate(const Function& f, const std::vector<Tensor>& inputs, const Tensor& weights,
                                 bool leaves = true) {
  Arena arena(Device::cpu(), kTestArena);
  poison(arena);
  Derivatives result;
  Tape tape(arena);
  Variables variables;
  for (const Tensor& input : inputs) {
    result.gradients.push_back(Tensor::zeros(input.shape(), input.dtype()));
    const Variable leaf = tape.leaf(input, result.gradients.back());
    variables.push_back(leaves ? leaf : autograd::scale(tape, leaf, 1));
  }
  const Variable y = f(tape, variables);
  result.value = Tensor::empty(y.value().shape(), y.value().dtype());
  result.value.copy_from(y.value());
  if (y.slot()->root) {  // has a seed of its own, 1
    tape.backward(y);
  } else {
    tape.backward(y, weights);
  }
  return result;
}

// Fixed weights, so that dL/dy is no constant.
inline Tensor weights_for(Shape shape) { return random_tensor(shape, DType::f64, 4711); }

// The worst relative error of all inputs' gradients, f64. `weights` undefined: random ones.
inline double worst_gradient_error(const Function& f, const std::vector<Tensor>& inputs,
                                   Tensor weights = {}) {
  Arena arena(Device::cpu(), kTestArena);
  if (!weights.defined()) weights = weights_for(evaluate(arena, f, inputs).shape());
  const auto loss = [&] { return weighted_sum(evaluate(arena, f, inputs), weights); };
  double worst = 0;
  for (const bool leaves : {true, false}) {
    const Derivatives derivatives = differentiate(f, inputs, weights, leaves);
    for (size_t i = 0; i < inputs.size(); ++i) {
      worst = std::max(worst, gradient_error(loss, inputs[i], derivatives.gradients[i]));
    }
  }
  return worst;
}

}  // namespace xf::tests
