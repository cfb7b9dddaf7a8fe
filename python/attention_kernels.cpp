// Attention (kernels/attention.h) on arrays: packed [T, D] with offsets, or [B, S, D] of sentences
// of equal length.
#include <algorithm>
#include <cmath>
#include <optional>

#include <nanobind/stl/optional.h>

#include "kernels/attention.h"
#include "python/arrays.h"
#include "python/engine.h"
#include "python/kernels.h"

namespace nb = nanobind;

namespace xf::python {

namespace {

using Arg = nb::handle;

Tensor packed(const Tensor& x) { return x.reshape({x.rows(), x.width()}); }

// Offsets as given; else of the sentences of [B, S, D], or of one that is all of [T, D].
Tensor offsets_of(const Tensor& x, Arg given, const char* what) {
  if (!given.is_none()) return int32s(given, what);
  const int64_t sentences = x.rank() == 3 ? x.dim(0) : 1;
  std::vector<int32_t> offsets;
  for (int64_t b = 0; b <= sentences; ++b)
    offsets.push_back(static_cast<int32_t>(sentences == 0 ? 0 : b * x.rows() / sentences));
  return Tensor::from(offsets);
}

// The longest sentence. Error usage for offsets that lead out of the array.
int64_t longest(const Tensor& offsets, const Tensor& x, const char* what) {
  const std::vector<int32_t> at = offsets.to_vector<int32_t>();
  const bool in_order = !at.empty() && at.front() == 0 && std::ranges::is_sorted(at) && at.back() <= x.rows();
  if (!in_order || offsets.rank() != 1)
    fail(ErrorKind::usage, "{}: expected numbers that ascend from 0 to at most {}, the rows", what, x.rows());
  int64_t most = 0;
  for (size_t b = 0; b + 1 < at.size(); ++b) most = std::max<int64_t>(most, at[b + 1] - at[b]);
  return most;
}

// Who attends to whom: what all functions below are told in the same way.
struct Sentences {
  Tensor queries, keys;  // offsets
  int64_t longest_query = 0;
  kernels::AttentionShape shape;

  Sentences(const Tensor& q, const Tensor& k, int64_t heads, bool causal, std::optional<float> scale,
            Arg query_offsets, Arg key_offsets)
      : queries(offsets_of(q, query_offsets, "attention: query_offsets")),
        keys(key_offsets.is_none() && !query_offsets.is_none()
                 ? queries
                 : offsets_of(k, key_offsets, "attention: key_offsets")),
        longest_query(longest(queries, q, "attention: query_offsets")),
        shape{.heads = heads, .max_keys = longest(keys, k, "attention: key_offsets"), .causal = causal} {
    if (heads < 1) fail(ErrorKind::usage, "attention: expected at least one head, got {}", heads);
    shape.scale = scale ? *scale : 1 / std::sqrt(static_cast<float>(q.width()) / static_cast<float>(heads));
  }
};

nb::tuple attention(Arg queries, Arg keys, Arg values, int64_t heads, bool causal, std::optional<float> scale,
                    Arg query_offsets, Arg key_offsets) {
  const Tensor q = floats(queries, "attention: q"), k = floats(keys, "attention: k"),
               v = floats(values, "attention: v"), o = Tensor::empty(q.shape(), q.dtype());
  const Sentences sentences(q, k, heads, causal, scale, query_offsets, key_offsets);
  Tensor lse;
  if (sentences.shape.is_long()) lse = Tensor::empty({heads, q.rows()}, accumulator_of(q.dtype()));
  run_kernel([&] {
    kernels::attention_forward(packed(q), packed(k), packed(v), sentences.queries, sentences.keys,
                               sentences.shape, {}, packed(o), lse);
  });
  return nb::make_tuple(to_python(o), to_python(lse));
}

nb::tuple attention_backward(Arg grad_o, Arg queries, Arg keys, Arg values, Arg output, Arg log_sum_exp,
                             int64_t heads, bool causal, std::optional<float> scale, Arg query_offsets,
                             Arg key_offsets) {
  const Tensor d = floats(grad_o, "attention_backward: do"), q = floats(queries, "attention_backward: q"),
               k = floats(keys, "attention_backward: k"), v = floats(values, "attention_backward: v"),
               o = floats(output, "attention_backward: o"),
               lse = floats_or_none(log_sum_exp, "attention_backward: lse"),
               dq = Tensor::empty(q.shape(), q.dtype()), dk = Tensor::empty(k.shape(), k.dtype()),
               dv = Tensor::empty(v.shape(), v.dtype());
  const Sentences sentences(q, k, heads, causal, scale, query_offsets, key_offsets);
  if (sentences.shape.is_long() != lse.defined())
    fail(ErrorKind::usage, "attention_backward: expected o and lse as attention() returned them");
  run_kernel([&] {
    kernels::attention_backward(packed(d), packed(q), packed(k), packed(v), packed(o), lse, sentences.queries,
                                sentences.keys, sentences.shape, {}, packed(dq), packed(dk), packed(dv));
  });
  return nb::make_tuple(to_python(dq), to_python(dk), to_python(dv));
}

nb::object attention_weights(Arg queries, Arg keys, int64_t heads, bool causal, std::optional<float> scale,
                             Arg query_offsets, Arg key_offsets) {
  const Tensor q = floats(queries, "attention_weights: q"), k = floats(keys, "attention_weights: k");
  const Sentences sentences(q, k, heads, causal, scale, query_offsets, key_offsets);
  const Tensor p = Tensor::empty(
      {sentences.queries.numel() - 1, heads, sentences.longest_query, sentences.shape.max_keys}, q.dtype());
  run_kernel([&] {
    kernels::attention_weights(packed(q), packed(k), sentences.queries, sentences.keys, sentences.shape, p);
  });
  return to_python(p);
}

}  // namespace

void define_attention_kernels(nb::module_& module) {
  define(module, "attention", attention);
  define(module, "attention_backward", attention_backward);
  define(module, "attention_weights", attention_weights);
}

}  // namespace xf::python
