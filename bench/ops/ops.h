// The cases of each op of kernels/, one function and one file per contract.
#pragma once

#include <vector>

#include "bench/case.h"
#include "bench/scope.h"

namespace xf::bench {

std::vector<Case> activation_rows(const Scope& scope);
std::vector<Case> adam_rows(const Scope& scope);
std::vector<Case> attention_rows(const Scope& scope);
std::vector<Case> cross_entropy_rows(const Scope& scope);
std::vector<Case> dropout_rows(const Scope& scope);
std::vector<Case> elementwise_rows(const Scope& scope);
std::vector<Case> embedding_rows(const Scope& scope);
std::vector<Case> gated_activation_rows(const Scope& scope);
std::vector<Case> layer_norm_rows(const Scope& scope);
std::vector<Case> linear_rows(const Scope& scope);
std::vector<Case> matmul_rows(const Scope& scope);
std::vector<Case> muon_rows(const Scope& scope);
std::vector<Case> quantized_linear_rows(const Scope& scope);
std::vector<Case> r_drop_rows(const Scope& scope);
std::vector<Case> residual_norm_rows(const Scope& scope);
std::vector<Case> rms_norm_rows(const Scope& scope);
std::vector<Case> rotary_rows(const Scope& scope);
std::vector<Case> sgd_rows(const Scope& scope);
std::vector<Case> softmax_rows(const Scope& scope);
std::vector<Case> sort_rows(const Scope& scope);
std::vector<Case> top_k_rows(const Scope& scope);

// The same functions at any shape, for --shape and for kernels from elsewhere (bench/free_shapes.cpp).
std::vector<Case> activation_at(const Scope& scope, const Extents& sizes);
std::vector<Case> adam_at(const Scope& scope, const Extents& sizes);
std::vector<Case> attention_at(const Scope& scope, const Extents& sizes);
std::vector<Case> cross_entropy_at(const Scope& scope, const Extents& sizes);
std::vector<Case> gated_activation_at(const Scope& scope, const Extents& sizes);
std::vector<Case> grouped_attention_at(const Scope& scope, const Extents& sizes);
std::vector<Case> layer_norm_at(const Scope& scope, const Extents& sizes);
std::vector<Case> linear_at(const Scope& scope, const Extents& sizes);
std::vector<Case> matmul_at(const Scope& scope, const Extents& sizes);
std::vector<Case> rms_norm_at(const Scope& scope, const Extents& sizes);
std::vector<Case> rotary_at(const Scope& scope, const Extents& sizes);
std::vector<Case> softmax_at(const Scope& scope, const Extents& sizes);

// What every op's file needs: sizes as they multiply.
inline double product(int64_t a, int64_t b, int64_t c = 1) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}
constexpr float kEps = 1e-5f;  // of the norms

}  // namespace xf::bench
