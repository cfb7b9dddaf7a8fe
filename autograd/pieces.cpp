// Cutting, joining and reshaping matrices.
#include "autograd/ops.h"
#include "kernels/elementwise.h"

namespace xf::autograd {

namespace {

// A part of x, copied out; its gradient is copied back into zeros.
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

}  // namespace

Variable rows(Tape& tape, const Variable& x, int64_t begin, int64_t end) {
  return cut(tape, x, [=](const Tensor& whole) { return whole.slice_rows(begin, end); });
}

Variable columns(Tape& tape, const Variable& x, int64_t begin, int64_t end) {
  return cut(tape, x, [=](const Tensor& whole) { return whole.slice_columns(begin, end); });
}

Variable reshape(Tape& tape, const Variable& x, Shape shape) {
  const Shape before = x.value().shape();
  return tape.record("reshape", x.value().reshape(shape), {x}, [before](Gradients& grad) {
    if (grad.wanted(0)) kernels::copy(grad.of_output().reshape(before), grad.written(0));
  });
}

Variable join_columns(Tape& tape, const std::vector<Variable>& parts) {
  std::vector<int64_t> edges{0};
  for (const Variable& part : parts) edges.push_back(edges.back() + part.value().width());
  const Tensor whole =
      tape.allocate({parts.front().value().rows(), edges.back()}, parts.front().value().dtype());
  for (size_t i = 0; i < parts.size(); ++i)
    kernels::copy(parts[i].value(), whole.slice_columns(edges[i], edges[i + 1]));
  return tape.record("join_columns", whole, parts, [edges](Gradients& grad) {
    for (size_t i = 0; i + 1 < edges.size(); ++i) {
      if (grad.wanted(i))
        kernels::copy(grad.of_output().slice_columns(edges[i], edges[i + 1]), grad.written(i));
    }
  });
}

Variable join_rows(Tape& tape, const std::vector<Variable>& parts) {
  std::vector<int64_t> edges{0};
  for (const Variable& part : parts) edges.push_back(edges.back() + part.value().rows());
  const Tensor whole =
      tape.allocate({edges.back(), parts.front().value().width()}, parts.front().value().dtype());
  for (size_t i = 0; i < parts.size(); ++i)
    kernels::copy(parts[i].value(), whole.slice_rows(edges[i], edges[i + 1]));
  return tape.record("join_rows", whole, parts, [edges](Gradients& grad) {
    for (size_t i = 0; i + 1 < edges.size(); ++i) {
      if (grad.wanted(i)) kernels::copy(grad.of_output().slice_rows(edges[i], edges[i + 1]), grad.written(i));
    }
  });
}

}  // namespace xf::autograd
