// A block of nn/ against central differences, and against the same mathematics built from primitive
// nodes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nn/forward_context.h"
#include "tests/cases/dropout_factor.h"
#include "tests/support/batch.h"
#include "tests/support/differentiate.h"

namespace xf::tests {

using Block = std::function<Variable(nn::ForwardContext&, const Variables& inputs)>;

constexpr float kBlockDropout = 0.3f;

inline Tensor random_f64(Shape shape, uint64_t seed) { return random_tensor(shape, DType::f64, seed); }

// Update 11; the sentences' first token is number `first_row` of the update.
inline nn::Tokens tokens_of(const Ids& offsets, int64_t max_length, int32_t first_row = 0) {
  return {Tensor::from(offsets), max_length, Tensor::from(Ids{11, first_row})};
}

// Every parameter random in [-0.7, 0.7): also the biases and norms that models start at 0 and 1.
inline void randomise(nn::ParameterStore& store, uint64_t seed = 100) {
  for (const nn::Parameter& parameter : store.parameters()) {
    parameter.value.copy_from(random_tensor(parameter.shape, store.dtype(), seed++, -0.7, 0.7));
  }
}

inline Function in_training(const Block& block, uint64_t seed = 77) {
  return [=](Tape& tape, const Variables& inputs) {
    nn::ForwardContext context{.tape = tape, .training = true, .seed = seed};
    return block(context, inputs);
  };
}

inline std::map<std::string, Tensor> gradients_of(const nn::ParameterStore& store) {
  std::map<std::string, Tensor> gradients;
  for (const nn::Parameter& parameter : store.parameters()) {
    const Tensor copy = Tensor::empty(parameter.shape, parameter.gradient.dtype());
    copy.copy_from(parameter.gradient);
    gradients[parameter.name] = copy;
  }
  return gradients;
}

struct BlockDerivatives {
  Derivatives inputs;
  std::map<std::string, Tensor> parameters;
};

inline BlockDerivatives differentiate_block(const nn::ParameterStore& store, const Function& f,
                                            const std::vector<Tensor>& inputs, const Tensor& weights,
                                            bool leaves) {
  store.gradients().fill_zero();
  BlockDerivatives result;
  result.inputs = differentiate(f, inputs, weights, leaves);
  result.parameters = gradients_of(store);
  return result;
}

// The worst relative error over the gradients of all inputs and all parameters.
struct Worst {
  double error = 0;
  std::string of;
  void meet(double other, const std::string& name) {
    if (other > error) {
      error = other;
      of = name;
    }
  }
};

inline Worst block_gradient_error(const nn::ParameterStore& store, const Block& block,
                                  const std::vector<Tensor>& inputs, Tensor weights = {}) {
  const Function f = in_training(block);
  Arena arena(Device::cpu(), kTestArena);
  if (!weights.defined()) weights = weights_for(evaluate(arena, f, inputs).shape());
  const auto loss = [&] { return weighted_sum(evaluate(arena, f, inputs), weights); };
  Worst worst;
  for (const bool leaves : {true, false}) {
    const BlockDerivatives given = differentiate_block(store, f, inputs, weights, leaves);
    for (size_t i = 0; i < inputs.size(); ++i) {
      worst.meet(gradient_error(loss, inputs[i], given.inputs.gradients[i]), "input " + std::to_string(i));
    }
    if (!leaves) continue;
    for (const nn::Parameter& parameter : store.parameters()) {
      worst.meet(gradient_error(loss, parameter.value, given.parameters.at(parameter.name)), parameter.name);
    }
  }
  return worst;
}

// A parameter gradient accumulates: what two passes leave is twice what one leaves.
inline bool accumulates(const nn::ParameterStore& store, const Block& block,
                        const std::vector<Tensor>& inputs) {
  Arena arena(Device::cpu(), kTestArena);
  const Function f = in_training(block);
  const Tensor weights = weights_for(evaluate(arena, f, inputs).shape());
  const auto once = differentiate_block(store, f, inputs, weights, true).parameters;
  differentiate(f, inputs, weights);
  bool all = true;
  for (const auto& [name, gradient] : gradients_of(store)) {
    std::vector<double> expected = as_doubles(once.at(name));
    for (double& value : expected) value *= 2;
    all = all && max_relative_error(gradient, expected, 1e-3) <= 1e-12;
  }
  return all;
}

// The gradients of the parameters do not depend on whether the inputs want theirs.
inline bool constants_change_nothing(const nn::ParameterStore& store, const Block& block,
                                     const std::vector<Tensor>& inputs) {
  Arena arena(Device::cpu(), kTestArena);
  const Function f = in_training(block);
  const Tensor weights = weights_for(evaluate(arena, f, inputs).shape());
  const auto expected = differentiate_block(store, f, inputs, weights, true).parameters;
  const Function constant = [&](Tape& tape, const Variables&) {
    return f(tape, Variables(inputs.begin(), inputs.end()));
  };
  const auto actual = differentiate_block(store, constant, {}, weights, true).parameters;
  return std::all_of(expected.begin(), expected.end(),
                     [&](const auto& entry) { return same_bits(entry.second, actual.at(entry.first)); });
}

// ---- The witness: primitive nodes, parameters as leaves of their own.

using Leaves = std::map<std::string, Variable>;
using Witness = std::function<Variable(Tape&, const Leaves& parameters, const Variables& inputs)>;

// Output, input gradients and parameter gradients of block and witness; the worst difference
// relative to the witness's largest element. Floor 1e-2: gradients that are zero in exact
// arithmetic are compared as numbers of order 1e-14.
inline Worst witness_error(const nn::ParameterStore& store, const Block& block, const Witness& witness,
                           const std::vector<Tensor>& inputs, Tensor weights = {}) {
  constexpr double kFloor = 1e-2;
  Arena arena(Device::cpu(), kTestArena);
  const Function f = in_training(block);
  if (!weights.defined()) weights = weights_for(evaluate(arena, f, inputs).shape());
  const BlockDerivatives given = differentiate_block(store, f, inputs, weights, false);
  std::map<std::string, Tensor> expected;
  const Function g = [&](Tape& tape, const Variables& variables) {
    Leaves leaves;
    for (const nn::Parameter& parameter : store.parameters()) {
      expected[parameter.name] = Tensor::zeros(parameter.shape, store.dtype());
      leaves[parameter.name] = tape.leaf(parameter.value, expected[parameter.name]);
    }
    return witness(tape, leaves, variables);
  };
  const Derivatives plain = differentiate(g, inputs, weights);
  Worst worst;
  worst.meet(max_relative_error(given.inputs.value, plain.value, kFloor), "output");
  for (size_t i = 0; i < inputs.size(); ++i) {
    worst.meet(max_relative_error(given.inputs.gradients[i], plain.gradients[i], kFloor),
               "input " + std::to_string(i));
  }
  for (const auto& [name, gradient] : expected) {
    worst.meet(max_relative_error(given.parameters.at(name), gradient, kFloor), name);
  }
  return worst;
}

// y = x weight^T + bias
inline Variable affine(Tape& tape, const Variable& x, const Leaves& parameters, const std::string& name) {
  const Variable product = autograd::matmul(tape, x, kernels::Transpose::no, parameters.at(name + ".weight"),
                                            kernels::Transpose::yes);
  return autograd::add_bias(tape, product, parameters.at(name + ".bias"));
}

// x * factor, element by element; factor is a constant.
inline Variable times(Tape& tape, const Variable& x, const Tensor& factor) {
  const auto multiply = [factor](const Tensor& from, const Tensor& to) {
    for (int64_t i = 0; i < from.numel(); ++i)
      to.data<double>()[i] = from.data<double>()[i] * factor.data<double>()[i];
  };
  const Tensor y = tape.allocate(x.value().shape(), DType::f64);
  multiply(x.value(), y);
  return tape.record("test", y, {x},
                     [multiply](autograd::Gradients& grad) { multiply(grad.of_output(), grad.written(0)); });
}

}  // namespace xf::tests
