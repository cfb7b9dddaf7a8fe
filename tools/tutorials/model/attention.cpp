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

Variable Attention::keys(const Step& step, const Variable& memory) const {
  return shown(step, name_, "AB1", "k", k_.forward(step, memory));
}
Variable Attention::values(const Step& step, const Variable& memory) const {
  return shown(step, name_, "AB1", "v", v_.forward(step, memory));
}

Variable Attention::forward(const Step& step, const Variable& x, const Variable& memory, const Tensor& mask,
                            const Tensor& counter) const {
  return attend(step, x, keys(step, memory), values(step, memory), mask, counter);
}

Variable Attention::next(const Step& step, const Variable& x, AttentionCache& cache) const {
  if (cache_ == DecoderCache::inputs) {
    cache.inputs = appended(cache.inputs, x.value());
    return forward(step, x, cache.inputs, everybody(), Tensor());
  }
  cache.keys = appended(cache.keys, keys(step, x).value());
  cache.values = appended(cache.values, values(step, x).value());
  return attend(step, x, cache.keys, cache.values, everybody(), Tensor());
}

Variable Attention::attend(const Step& step, const Variable& x, const Variable& k, const Variable& v,
                           const Tensor& mask, const Tensor& counter) const {
  step.show(name_, "AB1", "x", x.value());
  const Variable q = shown(step, name_, "AB1", "q", q_.forward(step, x));
  const Variable o = kernel(step, split_heads(step.tape, q, heads_), split_heads(step.tape, k, heads_),
                            split_heads(step.tape, v, heads_), mask, counter);
  const Variable joined = shown(step, name_, "AB2", "joined", join_heads(step.tape, o));
  return shown(step, name_, "AB3", "y", out_.forward(step, joined));
}

Variable Attention::kernel(const Step& step, const Variable& q, const Variable& k, const Variable& v,
                           const Tensor& mask, const Tensor& counter) const {
  step.show(name_, "AT1", "q_heads", q.value());
  step.show(name_, "AT1", "k_heads", k.value());
  step.show(name_, "AT4", "v_heads", v.value());
  const float scale = 1 / std::sqrt(static_cast<float>(q.value().dim(3)));
  const Variable qk = products(step.tape, q, k, Transpose::yes);
  const Variable s = shown(step, name_, "AT1", "s", autograd::scale(step.tape, qk, scale));
  const Tensor attended = broadcast(mask, s.value().shape());
  const Variable masked =
      shown(step, name_, "SM1", "masked", autograd::masked_fill(step.tape, s, attended, mask_fill_));
  Variable p = shown(step, name_, "AT2", "p", autograd::softmax(step.tape, masked, {}));
  Step dropping = step;
  dropping.training = step.training || dropout_at_evaluation_;
  if (dropping.training && dropout_ > 0)
    p = shown(step, name_, "DR2", "dropped",
              drop(dropping, p, dropout_, site_, counter.defined() ? counter : first_));
  return shown(step, name_, "AT4", "o", products(step.tape, p, v, Transpose::no));
}

}  // namespace xf::nn::quirks
