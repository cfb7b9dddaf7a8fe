// The cases of each op of kernels/, one function and one file per contract. Each adds its own to
// `rows`.
#pragma once

#include <vector>

#include "bench/case.h"
#include "bench/scope.h"

namespace xf::bench {

void activation_rows(const Scope& scope, std::vector<Case>& rows);
void adam_rows(const Scope& scope, std::vector<Case>& rows);
void attention_rows(const Scope& scope, std::vector<Case>& rows);
void cross_entropy_rows(const Scope& scope, std::vector<Case>& rows);
void dropout_rows(const Scope& scope, std::vector<Case>& rows);
void elementwise_rows(const Scope& scope, std::vector<Case>& rows);
void embedding_rows(const Scope& scope, std::vector<Case>& rows);
void gated_activation_rows(const Scope& scope, std::vector<Case>& rows);
void layer_norm_rows(const Scope& scope, std::vector<Case>& rows);
void linear_rows(const Scope& scope, std::vector<Case>& rows);
void matmul_rows(const Scope& scope, std::vector<Case>& rows);
void muon_rows(const Scope& scope, std::vector<Case>& rows);
void quantized_linear_rows(const Scope& scope, std::vector<Case>& rows);
void r_drop_rows(const Scope& scope, std::vector<Case>& rows);
void residual_norm_rows(const Scope& scope, std::vector<Case>& rows);
void rms_norm_rows(const Scope& scope, std::vector<Case>& rows);
void rotary_rows(const Scope& scope, std::vector<Case>& rows);
void sgd_rows(const Scope& scope, std::vector<Case>& rows);
void softmax_rows(const Scope& scope, std::vector<Case>& rows);
void sort_rows(const Scope& scope, std::vector<Case>& rows);
void top_k_rows(const Scope& scope, std::vector<Case>& rows);

// The same functions at any shape, for --shape and for kernels from elsewhere
// (bench/free_shapes.cpp).
void activation_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows);
void adam_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows);
void attention_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows);
void cross_entropy_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows);
void gated_activation_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows);
void grouped_attention_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows);
void layer_norm_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows);
void linear_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows);
void matmul_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows);
void rms_norm_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows);
void rotary_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows);
void softmax_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows);

// What every op's file needs: sizes as they multiply.
inline double product(int64_t a, int64_t b, int64_t c = 1) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}
inline Case case_of(const tests::Target& target, const std::string& fn, const std::vector<int64_t>& dims,
                    const std::string& variant, const Work& work, std::function<Call(Inputs&)> make) {
  return {fn, dims, variant, target, work, std::move(make)};
}
constexpr float kEps = 1e-5f;  // of the norms

}  // namespace xf::bench
