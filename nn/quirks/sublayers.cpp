#include "nn/quirks/sublayers.h"

#include "autograd/ops.h"

namespace xf::nn::quirks {

using kernels::Transpose;

Variable AddNorm::forward(Step& step, const Variable& x, const Variable& s, const Tensor& counter) const {
  const Variable dropped = drop(step, s, dropout_, site_, counter);
  const Variable sum = shown(step, name_, "RN0", "sum", autograd::add(step.tape, x, dropped));
  return shown(step, name_, "LN0", "normed", norm_.forward(step, sum));
}

FeedForward::FeedForward(Registry& registry, const std::string& name, const Config& config)
    : name_(name),
      dropout_(config.dropout),
      site_(registry.new_dropout_site()),
      in_(registry, name + ".in", config.dim, config.feed_forward),
      out_(registry, name + ".out", config.feed_forward, config.dim) {}

Variable FeedForward::forward(const Step& step, const Variable& x, const Tensor& counter) const {
  step.show(name_, "AC0", "x", x.value());
  Shape inner = x.value().shape();
  inner.set(-1, in_.weight.shape[0]);
  const Variable product =
      autograd::matmul(step.tape, x, Transpose::no, leaf(step, in_.weight), Transpose::yes);
  const Variable f = autograd::reshape(
      step.tape,
      autograd::bias_activation(step.tape, product, leaf(step, in_.bias), kernels::Activation::relu), inner);
  const Variable a = shown(step, name_, "AC0", "a", drop(step, f, dropout_, site_, counter));
  return shown(step, name_, "LI1", "y", out_.forward(step, a));
}

}  // namespace xf::nn::quirks
