// Token embedding, scale, position and dropout in one gather. Vaswani et al. 2017,
// arXiv:1706.03762, sections 3.4, 3.5.
//   x_n = dropout(scale * table[ids_n] + position_table[positions_n])  (EM1)
//   ids, positions i32 [N], table [V, D], position_table [P, D] in;  x [N, D] written
// Id kEmptyPlace is none (nn/train/graph_batch.h): its row of x is zero, and it adds nothing to the
// table's gradient. Another id out of range, or a position, is an error on the CPU.
#pragma once

#include "kernels/dropout.h"
#include "kernels/quantized_linear.h"

namespace xf::kernels {

constexpr int32_t kEmptyPlace = -1;

void embedding_forward(const Tensor& ids, const Tensor& positions, const Tensor& table,
                       const Tensor& position_table, float scale, const Dropout& dropout, Out x);

// With a table of eight bits, rows q and scales s (kernels/quantized_linear.h), on the CPU, without
// dropout.
//   x_n = scale * s[ids_n] * q[ids_n] + position_table[positions_n]  (EM5)
//   position_table [P, D] f32 in;  x [N, D] f32 written
void quantized_embedding_forward(const Tensor& ids, const Tensor& positions, const QuantizedWeights& table,
                                 const Tensor& position_table, float scale, Out x);

//   dtable [V, D] accumulated, Acc<T>: dtable[ids_n] += scale * dx_n * mask / (1-p)  (EM2) order
//   i32 [N]: token numbers stably sorted by id, so that each row is added up in one place, in an
//   order that the tokens alone decide
void embedding_backward(const Tensor& dx, const Tensor& ids, const Tensor& order, float scale,
                        const Dropout& dropout, Out dtable);

// The sinusoid table. Position p, pair i: sin and cos of p / 10000^(2i/D)  (EM3).
enum class PositionLayout {
  interleaved,  // sin, cos, sin, cos, ...  (the paper)
  split,        // all sines, then all cosines
  marian,       // the same of p / 10000^(2i/(D-2)), as Tensor2Tensor and Marian have it
};
//   table [P, D] written, on the CPU
void sinusoid_positions(PositionLayout layout, Out table);

template <typename T>
struct EmbeddingForwardArgs {
  const int32_t *ids, *positions;
  const T *table, *position_table;
  T* x;
  int64_t N, D, V, P;
  float scale;
  DropoutArgs dropout;
};
struct QuantizedEmbeddingArgs {
  const int32_t *ids, *positions;
  const int32_t* quads;
  const float *scales, *position_table;
  float* x;
  int64_t N, D, V, P;
  float scale;
};
template <typename T>
struct EmbeddingBackwardArgs {
  const T* dx;
  const int32_t *ids, *order;
  Acc<T>* dtable;
  int64_t N, D, V;
  float scale;
  DropoutArgs dropout;
};
XF_BACKENDS(embedding_forward, EmbeddingForwardArgs);
template <CpuLevel L>
void quantized_embedding_forward(Cpu<L>, const QuantizedEmbeddingArgs&);
XF_BACKENDS(embedding_backward, EmbeddingBackwardArgs);

}  // namespace xf::kernels
