#include "nn/attention_block.h"

#include <cmath>

#include "core/side_stream.h"
#include "kernels/attention.h"
#include "kernels/linear.h"

namespace xf::nn {

using kernels::AttentionShape;
using kernels::Dropout;

namespace {

AttentionShape attention_shape(const AttentionOptions& options, int64_t max_keys, bool causal) {
  const auto head_dim = static_cast<float>(options.dim / options.heads);
  return {options.heads, max_keys, causal, 1.0f / std::sqrt(head_dim)};
}

Tensor log_sum_exp_for(const ForwardContext& context, const AttentionShape& shape, const Tensor& q) {
  if (!shape.is_long()) return {};
  return context.allocate({shape.heads, q.rows()}, accumulator_of(q.dtype()));
}

void show_weights(const ForwardContext& context, const std::string& block, const Tensor& q, const Tensor& k,
                  const Tokens& queries, const Tokens& keys, const AttentionShape& shape) {
  if (!context.trace) return;
  const int64_t sentences = queries.offsets.numel() - 1;
  const Tensor p = context.allocate({sentences, shape.heads, queries.max_length, keys.max_length}, q.dtype());
  kernels::attention_weights(q, k, queries.offsets, keys.offsets, shape, p);
  context.show(block, "AT2", "p", p);
}

}  // namespace

Linear::Linear(ParameterStore& store, const std::string& name, int64_t in, int64_t out, Init init,
               int64_t projections)
    : weight(store.add(name + ".weight", {out, in}, init)),
      bias(store.add(name + ".bias", {out}, Init::zeros())) {
  store.mark_matmul_weight(weight, projections);
}

void Linear::forward(const Tensor& x, Out y) const {
  if (!weight.quantized.defined()) return kernels::linear_forward(x, weight.value, bias.value, y);
  kernels::quantized_linear_forward(x, weight.quantized, bias.value, kernels::Relu::no, y);
}

void Linear::forward(const Tensor& x, kernels::Activation activation, const kernels::Dropout& dropout,
                     Out pre, Out a) const {
  if (!weight.quantized.defined()) {
    kernels::linear_activation_forward(x, weight.value, bias.value, activation, dropout, pre, a);
  } else if (activation == kernels::Activation::relu && dropout.p == 0) {
    kernels::quantized_linear_forward(x, weight.quantized, bias.value, kernels::Relu::yes, a);
  } else {
    const Tensor& product = pre.defined() ? pre : a;
    kernels::quantized_linear_forward(x, weight.quantized, Tensor(), kernels::Relu::no, product);
    kernels::bias_activation_forward(product, bias.value, activation, dropout, a);
  }
}

void Linear::backward_weight(const Tensor& dy, const Tensor& x, kernels::Accumulate accumulate,
                             Out dbias) const {
  run_on_side_stream(dy.device(), {dy, x},
                     [&] { kernels::linear_backward_weight(dy, x, accumulate, weight.gradient, dbias); });
}

SelfAttention::SelfAttention(ParameterStore& store, const std::string& name, const AttentionOptions& options)
    : name_(name),
      options_(options),
      site_(store.new_dropout_site()),
      qkv_(store, name + ".qkv", options.dim, 3 * options.dim, Init::xavier(options.dim, options.dim), 3),
      out_(store, name + ".out", options.dim, options.dim, Init::xavier(options.dim, options.dim)) {}

Variable SelfAttention::forward(ForwardContext& context, const Variable& input, const Tokens& tokens,
                                bool causal) const {
  const Tensor x = input.value();
  const int64_t T = x.rows(), D = options_.dim;
  const AttentionShape shape = attention_shape(options_, tokens.max_length, causal);
  const Dropout dropout = context.dropout(options_.dropout, site_, tokens);

  const Tensor qkv = context.allocate({T, 3 * D}, x.dtype());
  qkv_.forward(x, qkv);  // AB1
  const Tensor q = qkv.slice_columns(0, D), k = qkv.slice_columns(D, 2 * D),
               v = qkv.slice_columns(2 * D, 3 * D);
  context.show(name_, "AB1", "q", q), context.show(name_, "AB1", "k", k), context.show(name_, "AB1", "v", v);
  if (tokens.rotary.turns()) {
    tokens.rotary.turn(qkv.slice_columns(0, 2 * D));  // AB12
    context.show(name_, "AB12", "q'", q), context.show(name_, "AB12", "k'", k);
  }
  show_weights(context, name_, q, k, tokens, tokens, shape);
  const Tensor o = context.allocate({T, D}, x.dtype());
  const Tensor lse = log_sum_exp_for(context, shape, q);
  kernels::attention_forward(q, k, v, tokens.offsets, tokens.offsets, shape, dropout, o, lse);  // AB2
  context.show(name_, "AB2", "o", o);
  const Tensor y = context.allocate({T, D}, x.dtype());
  out_.forward(o, y);  // AB3
  context.show(name_, "AB3", "y", y);

  return context.tape.record(
      name_, y, {input},
      [=, this, offsets = tokens.offsets, rotary = tokens.rotary,
       accumulate = context.weight_gradient_mode](autograd::Gradients& grad) {
        const Tensor dy = grad.of_output();
        const Tensor grad_o = grad.arena().allocate({T, D}, x.dtype());
        kernels::linear_backward_input(dy, out_.weight.value, kernels::Accumulate::no, grad_o);  // AB4
        out_.backward_weight(dy, o, accumulate, out_.bias.gradient);                             // AB5
        const Tensor dqkv = grad.arena().allocate({T, 3 * D}, x.dtype());
        kernels::attention_backward(grad_o, q, k, v, o, lse, offsets, offsets, shape, dropout,
                                    dqkv.slice_columns(0, D), dqkv.slice_columns(D, 2 * D),
                                    dqkv.slice_columns(2 * D, 3 * D));  // AB6
        rotary.turn_back(dqkv.slice_columns(0, 2 * D));                 // AB13
        qkv_.backward_weight(dqkv, x, accumulate, qkv_.bias.gradient);  // AB7
        if (!grad.wanted(0)) return;
        const auto dx = grad.accumulated(0);
        kernels::linear_backward_input(dqkv, qkv_.weight.value, dx.accumulate, dx.tensor);  // AB8
      });
}

Tensor SelfAttention::decode(ForwardContext& context, const Tensor& x, const Rotary& rotary,
                             const Tensor& slab, const Tensor& cache, const Tensor& rows,
                             const Tensor& lengths) const {
  const int64_t R = x.rows(), D = options_.dim;
  qkv_.forward(x, slab);
  rotary.turn(slab.slice_columns(0, 2 * D));
  const Tensor o = context.allocate({R, D}, x.dtype());
  kernels::attention_step(slab.slice_columns(0, D), cache.slice_columns(D, 2 * D),
                          cache.slice_columns(2 * D, 3 * D), rows, lengths, options_.heads,
                          attention_shape(options_, 0, true).scale, o);
  const Tensor y = context.allocate({R, D}, x.dtype());
  out_.forward(o, y);
  return y;
}

CrossKeysValues::CrossKeysValues(ParameterStore& store, const std::string& name, int64_t dim, int64_t layers)
    : name_(name), kv_(store, name, dim, layers * 2 * dim, Init::xavier(dim, dim), layers * 2) {}

Variable CrossKeysValues::forward(ForwardContext& context, const Variable& memory) const {
  const Tensor x = memory.value();
  const Tensor kv = context.allocate({x.rows(), kv_.weight.shape[0]}, x.dtype());
  kv_.forward(x, kv);
  context.show(name_, "AB1", "kv", kv);
  return context.tape.record(
      name_, kv, {memory}, [=, this, accumulate = context.weight_gradient_mode](autograd::Gradients& grad) {
        const Tensor dkv = grad.of_output();
        kv_.backward_weight(dkv, x, accumulate, kv_.bias.gradient);
        if (!grad.wanted(0)) return;
        const auto dx = grad.accumulated(0);
        kernels::linear_backward_input(dkv, kv_.weight.value, dx.accumulate, dx.tensor);
      });
}

CrossAttention::CrossAttention(ParameterStore& store, const std::string& name,
                               const AttentionOptions& options)
    : name_(name),
      options_(options),
      site_(store.new_dropout_site()),
      q_(store, name + ".q", options.dim, options.dim, Init::xavier(options.dim, options.dim)),
      out_(store, name + ".out", options.dim, options.dim, Init::xavier(options.dim, options.dim)) {}

Variable CrossAttention::forward(ForwardContext& context, const Variable& input, const Variable& kv_input,
                                 const Tokens& targets, const Tokens& sources) const {
  const Tensor x = input.value(), kv = kv_input.value();
  const int64_t T = x.rows(), D = options_.dim;
  const AttentionShape shape = attention_shape(options_, sources.max_length, false);
  const Dropout dropout = context.dropout(options_.dropout, site_, targets);

  const Tensor q = context.allocate({T, D}, x.dtype());
  q_.forward(x, q);  // AB9
  const Tensor k = kv.slice_columns(0, D), v = kv.slice_columns(D, 2 * D);
  context.show(name_, "AB9", "q", q), context.show(name_, "AB1", "k", k), context.show(name_, "AB1", "v", v);
  show_weights(context, name_, q, k, targets, sources, shape);
  const Tensor o = context.allocate({T, D}, x.dtype());
  const Tensor lse = log_sum_exp_for(context, shape, q);
  kernels::attention_forward(q, k, v, targets.offsets, sources.offsets, shape, dropout, o, lse);  // AB2
  context.show(name_, "AB2", "o", o);
  const Tensor y = context.allocate({T, D}, x.dtype());
  out_.forward(o, y);  // AB3
  context.show(name_, "AB3", "y", y);

  return context.tape.record(
      name_, y, {input, kv_input},
      [=, this, query_offsets = targets.offsets, key_offsets = sources.offsets,
       accumulate = context.weight_gradient_mode](autograd::Gradients& grad) {
        const Tensor dy = grad.of_output();
        const Tensor grad_o = grad.arena().allocate({T, D}, x.dtype());
        kernels::linear_backward_input(dy, out_.weight.value, kernels::Accumulate::no, grad_o);  // AB4
        out_.backward_weight(dy, o, accumulate, out_.bias.gradient);                             // AB5
        const Tensor dq = grad.arena().allocate({T, D}, x.dtype());
        const Tensor dkv = grad.written(1, kv);
        kernels::attention_backward(grad_o, q, k, v, o, lse, query_offsets, key_offsets, shape, dropout, dq,
                                    dkv.slice_columns(0, D), dkv.slice_columns(D, 2 * D));  // AB6
        q_.backward_weight(dq, x, accumulate, q_.bias.gradient);                            // AB10
        if (!grad.wanted(0)) return;
        const auto dx = grad.accumulated(0);
        kernels::linear_backward_input(dq, q_.weight.value, dx.accumulate, dx.tensor);  // AB11
      });
}

Tensor CrossAttention::decode(ForwardContext& context, const Tensor& x, const Tensor& kv, const Tensor& rows,
                              const Tensor& lengths) const {
  const int64_t R = x.rows(), D = options_.dim;
  const Tensor q = context.allocate({R, D}, x.dtype());
  q_.forward(x, q);
  const Tensor o = context.allocate({R, D}, x.dtype());
  kernels::attention_step(q, kv.slice_columns(0, D), kv.slice_columns(D, 2 * D), rows, lengths,
                          options_.heads, attention_shape(options_, 0, false).scale, o);
  const Tensor y = context.allocate({R, D}, x.dtype());
  out_.forward(o, y);
  return y;
}

}  // namespace xf::nn
