// Log-probabilities and the k best of each row, for greedy and beam search.
//   z [N, V] logits in; banned i32 [M]: ids that never come out (their probability still counts in the
//   normaliser) scores [N, K] written, Acc<T>: log softmax(z), best first; ids i32 [N, K] written.  Ties: the
//   smaller id first.
// K <= V - M.
#pragma once

#include "core/dispatch.h"

namespace xf::kernels {

void log_softmax_top_k(const Tensor& z, const Tensor& banned, Out scores, Out ids);

template <typename T>
struct TopKArgs {
  const T* z;
  const int32_t* banned;
  Acc<T>* scores;
  int32_t* ids;
  int64_t N, V, M, K, z_stride;
};
template <typename T>
void log_softmax_top_k(Cpu, const TopKArgs<T>&);
template <typename T>
void log_softmax_top_k(Cuda, const TopKArgs<T>&);

}  // namespace xf::kernels
