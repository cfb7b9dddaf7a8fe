// Cutting and joining matrices, as nodes of the tape: what a block does with all heads and
// sentences at once, its test writes for each of them.
#pragma once

#include <vector>

#include "autograd/tape.h"
#include "kernels/elementwise.h"

namespace xf::tests {

using autograd::Gradients;
using autograd::Tape;
using autograd::Variable;

// view(x), copied; the gradient of the rest is zero.
template <typename View>
Variable cut(Tape& tape, const Variable& x, const View& view) {
  const Tensor part = view(x.value());
  const Tensor y = tape.allocate({part.rows(), part.width()}, part.dtype());
  kernels::copy(part, y);
  return tape.record("cut", y, {x}, [view](Gradients& grad) {
    if (!grad.wanted(0)) return;
    const Tensor dx = grad.written(0);
    kernels::fill_zero(dx);
    kernels::copy(grad.of_output(), view(dx));
  });
}

inline Variable rows(Tape& tape, const Variable& x, int64_t begin, int64_t end) {
  return cut(tape, x, [=](const Tensor& whole) { return whole.slice_rows(begin, end); });
}
inline Variable columns(Tape& tape, const Variable& x, int64_t begin, int64_t end) {
  return cut(tape, x, [=](const Tensor& whole) { return whole.slice_columns(begin, end); });
}

// Part i lies where place(whole, edges[i], edges[i + 1]) is.
template <typename Place>
Variable join(Tape& tape, const std::vector<Variable>& parts, Shape shape, const std::vector<int64_t>& edges,
              const Place& place) {
  const Tensor whole = tape.allocate(shape, parts.front().value().dtype());
  for (size_t i = 0; i < parts.size(); ++i) {
    kernels::copy(parts[i].value(), place(whole, edges[i], edges[i + 1]));
  }
  return tape.record("join", whole, parts, [edges, place](Gradients& grad) {
    for (size_t i = 0; i + 1 < edges.size(); ++i) {
      if (grad.wanted(i)) kernels::copy(place(grad.of_output(), edges[i], edges[i + 1]), grad.written(i));
    }
  });
}

// Matrices of one height, side by side.
inline Variable join_columns(Tape& tape, const std::vector<Variable>& parts) {
  std::vector<int64_t> edges{0};
  for (const Variable& part : parts) edges.push_back(edges.back() + part.value().width());
  return join(
      tape, parts, {parts.front().value().rows(), edges.back()}, edges,
      [](const Tensor& whole, int64_t begin, int64_t end) { return whole.slice_columns(begin, end); });
}
// Matrices of one width, one below the other.
inline Variable join_rows(Tape& tape, const std::vector<Variable>& parts) {
  std::vector<int64_t> edges{0};
  for (const Variable& part : parts) edges.push_back(edges.back() + part.value().rows());
  return join(tape, parts, {edges.back(), parts.front().value().width()}, edges,
              [](const Tensor& whole, int64_t begin, int64_t end) { return whole.slice_rows(begin, end); });
}

}  // namespace xf::tests
