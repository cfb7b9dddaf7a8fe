#include "tools/tutorials/model/linear.h"

#include <cmath>

#include "autograd/ops.h"

namespace xf::nn::quirks {

using kernels::Transpose;

namespace {

Init torch_init(int64_t in) { return Init::uniform(1 / std::sqrt(static_cast<float>(in))); }

}  // namespace

Variable drop(const ForwardContext& context, const Variable& x, float p, uint32_t site,
              const Tensor& counter) {
  return autograd::dropout(context.tape, x, context.dropout(p, site, {.offsets = {}, .counter = counter}));
}

Init weight_init(InitScheme scheme, int64_t in, int64_t out) {
  if (scheme == InitScheme::xavier_uniform) return Init::xavier(in, out);
  if (scheme == InitScheme::kaiming_uniform) return Init::uniform(std::sqrt(6 / static_cast<float>(in)));
  return torch_init(in);
}

Linear::Linear(ParameterStore& store, const std::string& name, int64_t in, int64_t out, InitScheme init,
               Bias with_bias)
    : weight(store.add(name + ".weight", {out, in}, weight_init(init, in, out))),
      bias(with_bias == Bias::yes ? &store.add(name + ".bias", {out}, torch_init(in)) : nullptr) {}

Variable Linear::forward(const ForwardContext& context, const Variable& x) const {
  Shape shape = x.value().shape();
  shape.set(-1, weight.shape[0]);
  Variable y = autograd::matmul(context.tape, x, Transpose::no, leaf(context, weight), Transpose::yes);
  if (bias) y = autograd::add_bias(context.tape, y, leaf(context, *bias));
  return autograd::reshape(context.tape, y, shape);
}

}  // namespace xf::nn::quirks
