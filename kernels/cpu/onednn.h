// Where oneDNN 2 and oneDNN 3 differ: in how a primitive is described. Major 2 wants the operation
// as an object of its own first; 3 takes its parts at once, the tensor that is read and the one
// that is written each.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

namespace xf::kernels::onednn {

using LayerNormForward = dnnl::layer_normalization_forward;

#if DNNL_VERSION_MAJOR >= 3

using SoftmaxForward = dnnl::softmax_forward;

// A description of `Primitive`; `parts` is what its documentation lists, in that order. Throws
// dnnl::error if oneDNN has no such primitive.
template <typename Primitive, typename... Parts>
typename Primitive::primitive_desc describe(const dnnl::engine& engine,
                                            const dnnl::primitive_attr& attributes, const Parts&... parts) {
  return {engine, parts..., attributes};
}

// `values`: the description of both what is read and what is written.
inline LayerNormForward::primitive_desc describe_layer_norm(const dnnl::engine& engine, dnnl::prop_kind kind,
                                                            const dnnl::memory::desc& values,
                                                            const dnnl::memory::desc& statistics, float eps,
                                                            dnnl::normalization_flags flags) {
  return {engine, kind, values, values, statistics, eps, flags};
}

#else

using SoftmaxForward = dnnl::softmax_v2_forward;

template <typename Primitive, typename... Parts>
typename Primitive::primitive_desc describe(const dnnl::engine& engine,
                                            const dnnl::primitive_attr& attributes, const Parts&... parts) {
  return {typename Primitive::desc(parts...), attributes, engine};
}

inline LayerNormForward::primitive_desc describe_layer_norm(const dnnl::engine& engine, dnnl::prop_kind kind,
                                                            const dnnl::memory::desc& values,
                                                            const dnnl::memory::desc& statistics, float eps,
                                                            dnnl::normalization_flags flags) {
  return {LayerNormForward::desc(kind, values, statistics, eps, flags), engine};
}

#endif

}  // namespace xf::kernels::onednn
