#include "nn/feed_forward.h"

#include "kernels/linear.h"

namespace xf::nn {

FeedForward::FeedForward(ParameterStore& store, const std::string& name, const FeedForwardOptions& options)
    : name_(name),
      options_(options),
      site_(store.new_dropout_site()),
      in_(store, name + ".in", options.dim, options.hidden, Init::xavier(options.dim, options.hidden)),
      out_(store, name + ".out", options.hidden, options.dim, Init::xavier(options.hidden, options.dim)) {}

// Backward, with m the dropout mask over (1-p) and z = x W1^T + b1:
// FF1 da = dy W2          FF2 dW2 += dy^T a        FF3 db2 += sum_n dy
// FF4 dz = da m f'(z)     FF5 dW1 += dz^T x        FF6 db1 += sum_n dz       FF7 dx = dz W1
Variable FeedForward::forward(ForwardContext& context, const Variable& input, const Tokens& tokens) const {
  const Tensor x = input.value();
  const int64_t T = x.rows();
  const kernels::Dropout dropout = context.dropout(options_.dropout, site_, tokens);
  const bool keeps_pre = kernels::keeps_input(options_.activation);

  const Tensor pre = keeps_pre ? context.allocate({T, options_.hidden}, x.dtype()) : Tensor();
  const Tensor a = context.allocate({T, options_.hidden}, x.dtype());
  in_.forward(x, options_.activation, dropout, pre, a);
  context.show(name_, "AC0", "a", a);
  const Tensor y = context.allocate({T, options_.dim}, x.dtype());
  out_.forward(a, y);
  context.show(name_, "LI1", "y", y);

  return context.tape.record(
      name_, y, {input}, [=, this, accumulate = context.weight_gradient_mode](autograd::Gradients& grad) {
        const Tensor dy = grad.of_output();
        out_.backward_weight(dy, a, accumulate, out_.bias.gradient);  // FF2, FF3
        const Tensor dz = grad.arena().allocate({T, options_.hidden}, x.dtype());
        kernels::linear_activation_backward_input(dy, out_.weight.value, keeps_pre ? pre : a, in_.bias.value,
                                                  options_.activation, dropout, dz,
                                                  in_.bias.gradient);  // FF1, FF4, FF6
        in_.backward_weight(dz, x, accumulate, Tensor());              // FF5
        if (!grad.wanted(0)) return;
        const auto dx = grad.accumulated(0);
        kernels::linear_backward_input(dz, in_.weight.value, dx.accumulate, dx.tensor);  // FF7
      });
}

}  // namespace xf::nn
