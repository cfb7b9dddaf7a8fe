#include "nn/quirks/linear.h"

#include <cmath>

#include "autograd/ops.h"

namespace xf::nn::quirks {

using kernels::Transpose;

namespace {

Init torch_init(int64_t in) { return Init::uniform(1 / std::sqrt(static_cast<float>(in))); }

}  // namespace

Variable drop(const Step& step, const Variable& x, float p, uint32_t site, const Tensor& counter) {
  return autograd::dropout(step.tape, x, step.dropout(p, site, {.offsets = {}, .counter = counter}));
}

Linear::Linear(Registry& registry, const std::string& name, int64_t in, int64_t out)
    : weight(registry.add(name + ".weight", {out, in}, torch_init(in))),
      bias(registry.add(name + ".bias", {out}, torch_init(in))) {}

Variable Linear::forward(const Step& step, const Variable& x) const {
  Shape shape = x.value().shape();
  shape.set(-1, weight.shape[0]);
  const Variable product = autograd::matmul(step.tape, x, Transpose::no, leaf(step, weight), Transpose::yes);
  return autograd::reshape(step.tape, autograd::add_bias(step.tape, product, leaf(step, bias)), shape);
}

}  // namespace xf::nn::quirks
