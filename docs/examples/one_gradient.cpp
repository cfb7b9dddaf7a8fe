// y = f(a b + c) of three numbers: its derivatives by the tape, and by difference quotients.
#include <xformer/autograd/ops.h>

#include <cstdio>

using namespace xf;
using namespace xf::autograd;

struct Number {
  const char* name;
  Tensor value, gradient;
};

int main() {
  const auto number = [](const char* name, double value, Shape shape) {
    return Number{name, Tensor::from(std::vector{value}, shape), Tensor::zeros(shape, DType::f64)};
  };
  const Number a = number("a", 2, {1, 1}), b = number("b", -0.5, {1, 1}), c = number("c", 1.5, {1});

  const auto f_of = [&](Tape& tape) {
    const auto leaf = [&](const Number& n) { return tape.leaf(n.value, n.gradient); };
    const auto no = kernels::Transpose::no;
    const Variable product = matmul(tape, leaf(a), no, leaf(b), no);
    return bias_activation(tape, product, leaf(c), kernels::Activation::gelu);
  };
  const auto value_at = [](const Tensor& x) -> double& { return *x.data<double>(); };

  Arena arena(Device::cpu(), 1 << 20);
  Tape tape(arena);
  const Variable y = f_of(tape);
  std::printf("y = f(a b + c) = %.6f, %zu nodes on the tape\n\n", value_at(y.value()), tape.size());
  tape.backward(y, Tensor::from(std::vector{1.0}, {1, 1}));  // dy/dy

  std::printf("      value  by the tape  by difference\n");
  for (const Number* n : {&a, &b, &c}) {
    const double h = 1e-5, kept = value_at(n->value);
    const auto y_with = [&](double value) {
      Tape inference(arena, Tape::Mode::inference);
      value_at(n->value) = value;
      return value_at(f_of(inference).value());
    };
    const double difference = (y_with(kept + h) - y_with(kept - h)) / (2 * h);
    value_at(n->value) = kept;
    std::printf("%s %9.2f %12.6f %14.6f\n", n->name, kept, value_at(n->gradient), difference);
  }
}
