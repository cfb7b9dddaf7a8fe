// Multi-head attention with its projections. Vaswani et al. 2017, arXiv:1706.03762, section 3.2.2.
// Each block is one node on the tape; derivation: docs/derivations/attention_block.md.
#pragma once

#include "kernels/activation.h"
#include "nn/forward_context.h"

namespace xf::nn {

// An affine map and its two parameters, y = x weight^T + bias; by the weights in eight bits once
// there are any.
struct Linear {
  // projections: matrices of one size that the weight holds, one under the other.
  Linear(ParameterStore& store, const std::string& name, int64_t in, int64_t out, Init init,
         int64_t projections = 1);
  // x [N, in] -> y [N, out], written
  void forward(const Tensor& x, Out y) const;
  // a = dropout(f(y)), written; pre as in kernels::linear_activation_forward.
  void forward(const Tensor& x, kernels::Activation activation, const kernels::Dropout& dropout, Out pre,
               Out a) const;
  // The weight's gradient, written or accumulated, and dbias if defined:
  // kernels::linear_backward_weight, beside what follows (core/side_stream.h).
  void backward_weight(const Tensor& dy, const Tensor& x, kernels::Accumulate accumulate, Out dbias) const;
  const Parameter& weight;  // [out, in]
  const Parameter& bias;    // [out]
};

struct AttentionOptions {
  int64_t dim = 0;
  int64_t heads = 1;
  float dropout = 0;  // on the probabilities
};

// Queries, keys and values from one sequence.
class SelfAttention {
 public:
  SelfAttention(ParameterStore& store, const std::string& name, const AttentionOptions& options);

  // x [T, D] -> [T, D]
  Variable forward(ForwardContext& context, const Variable& x, const Tokens& tokens, bool causal) const;

  // One position per hypothesis. x [R, D] -> [R, D]. `slab` [R, 3D], written, is the part of the
  // layer's cache [C, 3D] that belongs to this position; rows and lengths say which cached
  // positions each hypothesis sees (attention_step). Keys are cached as they are turned.
  Tensor decode(ForwardContext& context, const Tensor& x, const Rotary& rotary, const Tensor& slab,
                const Tensor& cache, const Tensor& rows, const Tensor& lengths) const;

 private:
  std::string name_;
  AttentionOptions options_;
  uint32_t site_;
  Linear qkv_;  // [3D, D]: query, key, value
  Linear out_;
};

// The keys and values that all decoder layers read from the encoder's output, in one product.
class CrossKeysValues {
 public:
  CrossKeysValues(ParameterStore& store, const std::string& name, int64_t dim, int64_t layers);
  // memory [Ts, D] -> [Ts, L * 2D]; layer l reads columns l*2D .. (l+1)*2D-1, keys before values.
  Variable forward(ForwardContext& context, const Variable& memory) const;

 private:
  std::string name_;
  Linear kv_;
};

// Queries from the decoder, keys and values from the encoder.
class CrossAttention {
 public:
  CrossAttention(ParameterStore& store, const std::string& name, const AttentionOptions& options);

  // x [Tt, D], kv [Ts, 2D] -> [Tt, D]
  Variable forward(ForwardContext& context, const Variable& x, const Variable& kv, const Tokens& targets,
                   const Tokens& sources) const;

  // One position per hypothesis: x [R, D], kv [Ts, 2D] -> [R, D]
  Tensor decode(ForwardContext& context, const Tensor& x, const Tensor& kv, const Tensor& rows,
                const Tensor& lengths) const;

 private:
  std::string name_;
  AttentionOptions options_;
  uint32_t site_;
  Linear q_;
  Linear out_;
};

}  // namespace xf::nn
