#include "tools/tutorials/model/attention.h"

#include <cmath>

#include "autograd/ops.h"
#include "kernels/elementwise.h"
#include "tools/tutorials/model/head_nodes.h"
#include "tools/tutorials/model/masks.h"

namespace xf::nn::quirks {

using kernels::Transpose;

namespace {

Linear projection(ParameterStore& store, const std::string& name, const Config& config) {
  return {store,
          name,
          config.dim,
          config.dim,
          config.quirks.init,
          config.quirks.attention_bias ? Linear::Bias::yes : Linear::Bias::no};
}

// past [B, n, D] or undefined, x [B, m, D] -> [B, n+m, D]
Tensor appended(const Tensor& past, const Tensor& x) {
  const int64_t B = x.dim(0), n = past.defined() ? past.dim(1) : 0, m = x.dim(1);
  const Tensor all = Tensor::empty({B, n + m, x.dim(2)}, x.dtype());
  for (int64_t b = 0; b < B; ++b) {
    const int64_t begin = b * (n + m);
    if (n > 0) kernels::copy(past.slice_rows(b * n, (b + 1) * n), all.slice_rows(begin, begin + n));
    kernels::copy(x.slice_rows(b * m, (b + 1) * m), all.slice_rows(begin + n, begin + n + m));
  }
  return all;
}

}  // namespace

Attention::Attention(ParameterStore& store, const std::string& name, const Config& config)
    : name_(name),
      heads_(config.heads),
      mask_fill_(config.quirks.mask_fill),
      dropout_(config.attention_dropout),
      dropout_at_evaluation_(config.quirks.attention_dropout_at_evaluation),
      cache_(config.quirks.cache),
      site_(store.new_dropout_site()),
      first_(Tensor::zeros({2}, DType::i32)),
      q_(projection(store, name + ".q", config)),
      k_(projection(store, name + ".k", config)),
      v_(projection(store, name + ".v", config)),
      out_(projection(store, name + ".out", config)) {}

Variable Attention::keys(const ForwardContext& context, const Variable& memory) const {
  return shown(context, name_, "AB1", "k", k_.forward(context, memory));
}
Variable Attention::values(const ForwardContext& context, const Variable& memory) const {
  return shown(context, name_, "AB1", "v", v_.forward(context, memory));
}

Variable Attention::forward(const ForwardContext& context, const Variable& x, const Variable& memory,
                            const Tensor& mask, const Tensor& counter) const {
  return attend(context, x, keys(context, memory), values(context, memory), mask, counter);
}

Variable Attention::next(const ForwardContext& context, const Variable& x, AttentionCache& cache) const {
  if (cache_ == CacheContents::inputs) {
    cache.inputs = appended(cache.inputs, x.value());
    return forward(context, x, cache.inputs, everybody(), Tensor());
  }
  cache.keys = appended(cache.keys, keys(context, x).value());
  cache.values = appended(cache.values, values(context, x).value());
  return attend(context, x, cache.keys, cache.values, everybody(), Tensor());
}

Variable Attention::attend(const ForwardContext& context, const Variable& x, const Variable& k,
                           const Variable& v, const Tensor& mask, const Tensor& counter) const {
  context.show(name_, "AB1", "x", x.value());
  const Variable q = shown(context, name_, "AB1", "q", q_.forward(context, x));
  const Variable o =
      kernel(context, split_heads(context.tape, q, heads_), split_heads(context.tape, k, heads_),
             split_heads(context.tape, v, heads_), mask, counter);
  const Variable joined = shown(context, name_, "AB2", "joined", join_heads(context.tape, o));
  return shown(context, name_, "AB3", "y", out_.forward(context, joined));
}

Variable Attention::kernel(const ForwardContext& context, const Variable& q, const Variable& k,
                           const Variable& v, const Tensor& mask, const Tensor& counter) const {
  context.show(name_, "AT1", "q_heads", q.value());
  context.show(name_, "AT1", "k_heads", k.value());
  context.show(name_, "AT4", "v_heads", v.value());
  const float scale = 1 / std::sqrt(static_cast<float>(q.value().dim(3)));
  const Variable qk = products(context.tape, q, k, Transpose::yes);
  const Variable s = shown(context, name_, "AT1", "s", autograd::scale(context.tape, qk, scale));
  const Tensor attended = broadcast(mask, s.value().shape());
  const Variable masked =
      shown(context, name_, "SM1", "masked", autograd::masked_fill(context.tape, s, attended, mask_fill_));
  Variable p = shown(context, name_, "AT2", "p", autograd::softmax(context.tape, masked, {}));
  ForwardContext dropping = context;
  dropping.training = context.training || dropout_at_evaluation_;
  if (dropping.training && dropout_ > 0)
    p = shown(context, name_, "DR2", "dropped",
              drop(dropping, p, dropout_, site_, counter.defined() ? counter : first_));
  return shown(context, name_, "AT4", "o", products(context.tape, p, v, Transpose::no));
}

}  // namespace xf::nn::quirks
