// Scaled dot-product attention of one sentence and one head, one loop nest per equation:
// docs/derivations/attention.md. Rows of q and o begin `stride` elements apart, those of k and v
// `key_stride`. Query heads that share a key head get its k and v, and add to its dk and dv
// (AT11, AT12).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/plain/softmax.h"

namespace xf::kernels::plain {

struct AttentionHead {
  int64_t Tq, Tk, Dh, stride, key_stride;
  double scale;
  bool causal;
  const int32_t* mask =
      nullptr;  // [Tq, Tk], or all ones: what explanations mask, as the engine's softmax can

  bool attends(int64_t i, int64_t j) const {
    return (!causal || j <= i) && (mask == nullptr || mask[i * Tk + j] != 0);
  }
};

inline double dot(int64_t Dh, const double* a, const double* b) {
  double sum = 0;
  for (int64_t d = 0; d < Dh; ++d) sum += a[d] * b[d];
  return sum;
}

inline void attention_forward(const AttentionHead& head,
                              const double* q,  // [Tq, Dh]
                              const double* k,  // [Tk, Dh]
                              const double* v,  // [Tk, Dh]
                              const double* m,  // [Tq, Tk], dropout's factors
                              double* p,        // [Tq, Tk], written
                              double* o) {      // [Tq, Dh], written
  const auto [Tq, Tk, Dh, stride, key_stride, scale, causal, mask] = head;
  for (int64_t i = 0; i < Tq; ++i) {
    double* const s = p + i * Tk;
    const auto attends = [&](int64_t j) { return head.attends(i, j); };
    for (int64_t j = 0; j < Tk; ++j) s[j] = scale * dot(Dh, q + i * stride, k + j * key_stride);  // AT1
    softmax_forward(Tk, attends, s, p + i * Tk);                                                  // AT2
    for (int64_t d = 0; d < Dh; ++d) {
      o[i * stride + d] = 0;
      for (int64_t j = 0; j < Tk; ++j) {
        const double pd = m[i * Tk + j] * p[i * Tk + j];  // AT3
        o[i * stride + d] += pd * v[j * key_stride + d];  // AT4
      }
    }
  }
}

inline void attention_backward(const AttentionHead& head,
                               const double* grad_o,  // [Tq, Dh]
                               const double* q,       // [Tq, Dh]
                               const double* k,       // [Tk, Dh]
                               const double* v,       // [Tk, Dh]
                               const double* m,       // [Tq, Tk]
                               const double* p,       // [Tq, Tk], of the forward pass
                               double* dq,            // [Tq, Dh], accumulated
                               double* dk,            // [Tk, Dh], accumulated
                               double* dv) {          // [Tk, Dh], accumulated
  const auto [Tq, Tk, Dh, stride, key_stride, scale, causal, mask] = head;
  std::vector<double> dp(static_cast<size_t>(Tk)), ds(dp);
  for (int64_t i = 0; i < Tq; ++i) {
    for (int64_t j = 0; j < Tk; ++j) {
      dp[static_cast<size_t>(j)] = m[i * Tk + j] * dot(Dh, grad_o + i * stride, v + j * key_stride);
    }
    softmax_backward(Tk, dp.data(), p + i * Tk, ds.data());  // AT5
    for (int64_t j = 0; j < Tk; ++j) {
      const double ds_ij = ds[static_cast<size_t>(j)], pd_ij = m[i * Tk + j] * p[i * Tk + j];
      for (int64_t d = 0; d < Dh; ++d) {
        dq[i * stride + d] += scale * ds_ij * k[j * key_stride + d];  // AT6
        dk[j * key_stride + d] += scale * ds_ij * q[i * stride + d];  // AT7
        dv[j * key_stride + d] += pd_ij * grad_o[i * stride + d];     // AT8
      }
    }
  }
}

}  // namespace xf::kernels::plain
