#include "nn/norm.h"

#include "autograd/ops.h"
#include "kernels/residual_norm.h"

namespace xf::nn {

Norm::Norm(ParameterStore& store, const std::string& name, int64_t dim, float epsilon)
    : name_(name),
      epsilon_(epsilon),
      gamma_(store.add(name + ".weight", {dim}, Init::ones())),
      beta_(store.add(name + ".bias", {dim}, Init::zeros())) {}

Variable Norm::forward(ForwardContext& context, const Variable& x) const {
  const auto leaf = [&](const Parameter& parameter) {
    return context.tape.leaf(parameter.value, parameter.gradient);
  };
  const Variable y = autograd::layer_norm(context.tape, x, leaf(gamma_), leaf(beta_), epsilon_);
  context.show(name_, "LN0", "y", y.value());
  return y;
}

Norm::Sum Norm::forward_residual(ForwardContext& context, const Variable& x, const Variable& s,
                                 const kernels::Dropout& dropout) const {
  const DType dtype = x.value().dtype();
  const int64_t T = x.value().rows();
  const Tensor sum = context.allocate(x.value().shape(), dtype);
  const Tensor y = context.allocate(x.value().shape(), dtype);
  const Tensor mean = context.allocate({T}, accumulator_of(dtype)),
               rstd = context.allocate({T}, accumulator_of(dtype));
  kernels::residual_norm_forward(x.value(), s.value(), dropout, gamma_.value, beta_.value, epsilon_, sum, y,
                                 mean, rstd);
  context.show(name_, "RN0", "sum", sum), context.show(name_, "RN0", "y", y);
  const auto outputs = context.tape.record(name_, {sum, y}, {x, s}, [=, this](autograd::Gradients& grad) {
    const Tensor dsum = grad.of_output(0), dy = grad.of_output(1);
    const Tensor dx = grad.written(0, sum), ds = grad.written(1, sum);
    kernels::residual_norm_backward(dy, dsum, sum, gamma_.value, mean, rstd, dropout, dx, ds, gamma_.gradient,
                                    beta_.gradient);
  });
  return {outputs[0], outputs[1]};
}

}  // namespace xf::nn
