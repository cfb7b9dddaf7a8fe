#include "autograd/recomputed.h"

namespace xf::autograd {

namespace {

// Inputs of the second pass: their gradients are gathered where the first pass's are.
std::vector<Variable> leaves_of(const Tape& tape, const std::vector<Variable>& inputs, Gradients& gradients) {
  std::vector<Variable> leaves;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = inputs[i].value();
    leaves.push_back(gradients.wanted(i) ? tape.leaf(x, gradients.summed(i, x)) : Variable(x));
  }
  return leaves;
}

}  // namespace

std::vector<Variable> recomputed(Tape& tape, const std::vector<Variable>& inputs, const Part& part) {
  if (!tape.recording()) return part(tape, inputs);
  std::vector<Variable> constants;
  for (const Variable& input : inputs) constants.emplace_back(input.value());
  std::vector<Tensor> values;
  {
    Tape forgetful(tape.arena(), Tape::Mode::inference);
    for (const Variable& output : part(forgetful, constants)) values.push_back(output.value());
  }
  return tape.record("recomputed", values, inputs, [constants, part](Gradients& gradients) {
    Tape again(gradients.arena());
    const std::vector<Variable> outputs = part(again, leaves_of(again, constants, gradients));
    std::vector<Tensor> seeds;
    for (size_t i = 0; i < outputs.size(); ++i) seeds.push_back(gradients.of_output(i));
    again.backward(outputs, seeds);
  });
}

}  // namespace xf::autograd
