// A part computed twice has the gradients of one that is kept.
#include "autograd/recomputed.h"

#include <cmath>

#include "autograd/ops.h"
#include "tests/support/catch.h"
#include "tests/support/compare.h"

using namespace xf;
using namespace xf::autograd;

namespace {

using Values = std::vector<double>;

constexpr int64_t kRows = 3, kColumns = 4;

// Keeps what it is made of.
Variable square(Tape& tape, const Variable& x) {
  const Tensor y = tape.allocate(x.value().shape(), DType::f64);
  for (int64_t i = 0; i < y.numel(); ++i) y.data<double>()[i] = std::pow(x.value().data<double>()[i], 2) / 4;
  return tape.record("square", y, {x}, [x = x.value()](Gradients& grad) {
    const Tensor dx = grad.written(0);
    for (int64_t i = 0; i < x.numel(); ++i)
      dx.data<double>()[i] = grad.of_output().data<double>()[i] * x.data<double>()[i] / 2;
  });
}

// Two values of two, over ten that are nobody's business.
std::vector<Variable> long_way(Tape& tape, const std::vector<Variable>& in) {
  Variable x = in[0];
  for (int i = 0; i < 10; ++i) x = add(tape, square(tape, x), in[1]);
  return {add(tape, x, in[0]), scale(tape, x, 3)};
}

struct Run {
  Values dx, dy;
  int64_t kept = 0;  // bytes between forward and backward
  int calls = 0;
};

Run run(bool recompute, bool reads_both) {
  Arena arena(Device::cpu(), 1 << 20);
  arena.allocate({4096}, DType::f64).copy_from(tests::poisoned({4096}, DType::f64));
  Run result;
  const Part part = [&](Tape& tape, const std::vector<Variable>& in) {
    ++result.calls;
    return long_way(tape, in);
  };
  const Tensor x = tests::random_tensor({kRows, kColumns}, DType::f64, 1),
               y = tests::random_tensor({kRows, kColumns}, DType::f64, 2);
  const Tensor dx = Tensor::zeros(x.shape(), x.dtype()), dy = Tensor::zeros(y.shape(), y.dtype());
  {
    Tape tape(arena);
    const Variable leaf = tape.leaf(x, dx), other = scale(tape, tape.leaf(y, dy), 2);
    const auto out = recompute ? recomputed(tape, {leaf, other}, part) : part(tape, {leaf, other});
    // `other` is read outside, too, so that its gradient has terms from both.
    const Variable end = add(tape, add(tape, out[0], other), reads_both ? out[1] : leaf);
    result.kept = arena.used_bytes();
    tape.backward(end, tests::random_tensor({kRows, kColumns}, DType::f64, 3));
  }
  result.dx = dx.to_vector<double>();
  result.dy = dy.to_vector<double>();
  return result;
}

}  // namespace

// TP3
TEST_CASE("Recomputed: the same bits of every gradient, for less memory and a second pass", "[unit]") {
  for (const bool reads_both : {true, false}) {
    const Run kept = run(false, reads_both), again = run(true, reads_both);
    CHECK(again.dx == kept.dx);
    CHECK(again.dy == kept.dy);
    CHECK(again.kept < kept.kept / 2);
    CHECK(kept.calls == 1);
    CHECK(again.calls == 2);
  }
}

TEST_CASE("Recomputed: where nothing is recorded, nothing is computed twice", "[unit]") {
  Arena arena(Device::cpu());
  Tape tape(arena, Tape::Mode::inference);
  int calls = 0;
  const Tensor x = tests::random_tensor({kRows, kColumns}, DType::f64, 1);
  const auto out =
      recomputed(tape, {Variable(x), Variable(x)}, [&](Tape& t, const std::vector<Variable>& in) {
        ++calls;
        return long_way(t, in);
      });
  CHECK(calls == 1);
  CHECK_FALSE(out[0].differentiable());
}

TEST_CASE("Recomputed: a constant among the inputs gets no gradient", "[unit]") {
  Arena arena(Device::cpu());
  Tape tape(arena);
  const Tensor x = tests::random_tensor({kRows, kColumns}, DType::f64, 1),
               dx = Tensor::zeros(x.shape(), x.dtype());
  const Part twice_and_x = [](Tape& t, const std::vector<Variable>& in) {
    return std::vector{add(t, scale(t, in[0], 2), in[1])};
  };
  const auto out = recomputed(tape, {tape.leaf(x, dx), Variable(x)}, twice_and_x);
  tape.backward(out[0], x);
  Values expected = x.to_vector<double>();
  for (double& value : expected) value *= 2;
  CHECK(dx.to_vector<double>() == expected);
}
