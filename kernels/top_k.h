// Log-probabilities and the k best of each row, for greedy and beam search.
//   z [N, V] logits       in
//   banned i32 [M]        in: ids that never come out (their probability still counts in the
//                         normaliser)
//   scores [N, K]         written, Acc<T>, best first  (TK2): log softmax(z) (TK1) or, as
//                         `normalise` says, z itself, in the
//                         same order without a sum over V.  All NaN where a logit of the row is
//   ids i32 [N, K]        written.  Ties: the smaller id first.  K <= V - M.
#pragma once

#include "kernels/linear.h"
#include "kernels/quantized_linear.h"

namespace xf::kernels {

enum class Normalise { no, yes };
void log_softmax_top_k(const Tensor& z, const Tensor& banned, Normalise normalise, Out scores, Out ids);

// The same of an output projection, so that the [N, V] logits never exist:
//   z = x W^T + bias   for kTopKChunk rows at a time, over `logits` [min(N, kTopKChunk), V]
//                      (workspace)
//   x [N, D], w [V, D], bias [V] in
constexpr int64_t kTopKChunk = 512;
void projection_top_k(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& banned,
                      Normalise normalise, Out logits, Out scores, Out ids);
// With rounded weights (QL3); everything else is f32, on the CPU.
void projection_top_k(const Tensor& x, const QuantizedWeights& w, const Tensor& bias, const Tensor& banned,
                      Normalise normalise, Out logits, Out scores, Out ids);

template <typename T>
struct TopKArgs {
  const T* z;
  const int32_t* banned;
  Acc<T>* scores;
  int32_t* ids;
  int64_t N, V, M, K, z_stride;
  bool normalise;
};
XF_BACKENDS(log_softmax_top_k, TopKArgs);

// What a backend may take over: projection and choice together, from logits that it keeps to itself
// (y and z are null). It returns whether it did it; if not, nothing was done.
template <typename Backend, typename T>
bool projection_top_k_at_once(Backend, const LinearForwardArgs<T>&, const TopKArgs<T>&) {
  return false;
}
template <CpuLevel L>
bool projection_top_k_at_once(Cpu<L>, const LinearForwardArgs<float>&, const TopKArgs<float>&);
template <CpuLevel L>
bool projection_top_k_at_once(Cpu<L>, const QuantizedLinearArgs&, const TopKArgs<float>&);

}  // namespace xf::kernels
