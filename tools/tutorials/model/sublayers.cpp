#include "tools/tutorials/model/sublayers.h"

#include "autograd/ops.h"
#include "tools/tutorials/model/row_nodes.h"

namespace xf::nn::quirks {

using kernels::Transpose;

LayerNorm::LayerNorm(ParameterStore& store, const std::string& name, const Config& config)
    : formula_(config.quirks.norm),
      eps_(config.quirks.norm_eps),
      gamma_(store.add(name + ".weight", {config.dim}, Init::ones())),
      beta_(store.add(name + ".bias", {config.dim}, Init::zeros())) {}

Variable LayerNorm::forward(const ForwardContext& context, const Variable& x) const {
  const Variable gamma = leaf(context, gamma_), beta = leaf(context, beta_);
  if (formula_ == NormFormula::variance) return autograd::layer_norm(context.tape, x, gamma, beta, eps_);
  return deviation_norm(context.tape, x, gamma, beta, formula_, eps_);
}

Connection::Connection(ParameterStore& store, const std::string& name, const LayerNorm& norm,
                       const Config& config)
    : name_(name),
      norm_(norm),
      placement_(config.norms),
      dropout_place_(config.quirks.dropout_place),
      dropout_(config.dropout),
      site_(store.new_dropout_site()) {}

Variable Connection::sum(const ForwardContext& context, const Variable& x, const Variable& s) const {
  return shown(context, name_, "RN0", "sum", autograd::add(context.tape, x, s));
}
Variable Connection::normed(const ForwardContext& context, const Variable& x) const {
  return shown(context, name_, "LN0", "normed", norm_.forward(context, x));
}

Variable Connection::forward(const ForwardContext& context, const Variable& x, const Sublayer& f,
                             const Tensor& counter) const {
  const auto dropped = [&](const Variable& y) { return drop(context, y, dropout_, site_, counter); };
  if (placement_ == NormPlacement::pre) return sum(context, x, dropped(f(normed(context, x))));
  if (dropout_place_ == DropoutPlace::after_norm) return dropped(normed(context, sum(context, x, f(x))));
  return normed(context, sum(context, x, dropped(f(x))));
}

FeedForward::FeedForward(ParameterStore& store, const std::string& name, const Config& config)
    : name_(name),
      dropout_last_(config.quirks.feed_forward_dropout_last),
      dropout_(config.feed_forward_dropout),
      activation_(config.activation),
      site_(store.new_dropout_site()),
      in_(store, name + ".in", config.dim, config.feed_forward, config.quirks.init),
      out_(store, name + ".out", config.feed_forward, config.dim, config.quirks.init) {}

Variable FeedForward::forward(const ForwardContext& context, const Variable& x, const Tensor& counter) const {
  context.show(name_, "AC0", "x", x.value());
  Shape inner = x.value().shape();
  inner.set(-1, in_.weight.shape[0]);
  const Variable product =
      autograd::matmul(context.tape, x, Transpose::no, leaf(context, in_.weight), Transpose::yes);
  Variable a = autograd::reshape(
      context.tape, autograd::bias_activation(context.tape, product, leaf(context, *in_.bias), activation_),
      inner);
  if (!dropout_last_) a = drop(context, a, dropout_, site_, counter);
  context.show(name_, "AC0", "a", a.value());
  Variable y = out_.forward(context, a);
  if (dropout_last_) y = drop(context, y, dropout_, site_, counter);
  return shown(context, name_, "LI1", "y", y);
}

}  // namespace xf::nn::quirks
