// Rotary positions: every pair of a head's columns is turned by an angle in proportion to its
// token's position, so that a score q . k knows of the distance of the two tokens and of nothing
// else. Su et al. 2021, arXiv:2104.09864, section 3.
//   angle(s, i) = s base^(-i / P)                 for position s and pair i < P = Dh / 2  (RO0)
//   y_i     = x_i cos angle - x_{i+P} sin angle   in each head  (RO1)
//   y_{i+P} = x_i sin angle + x_{i+P} cos angle
//   x [T, D]           in; D = H * Dh; may be a view of some columns of a fused projection
//   positions i32 [T]  in; each token's place in its sentence
//   table [S, Dh]      in, Acc<T>: of position s the P cosines, then the P sines
//   y [T, D]           written, a view too; may be x
// A pair's columns are half a head apart, as GPT-NeoX and Llama have them. A position out of range
// is an error on the CPU.
#pragma once

#include "core/backend.h"
#include "core/tensor.h"

namespace xf::kernels {

void rotary_forward(const Tensor& x, const Tensor& positions, const Tensor& table, Out y);

//   dx [T, D] written, may be dy: turned the other way  (RO2)    derivation: docs/derivations/rotary.md
void rotary_backward(const Tensor& dy, const Tensor& positions, const Tensor& table, Out dx);

//   table [S, Dh] written, f32 or f64, on the CPU  (RO0)
void rotary_table(double base, Out table);

template <typename T>
struct RotaryArgs {
  const T* x;
  const int32_t* positions;
  const Acc<T>* table;
  T* y;
  int64_t tokens, H, P, S, x_stride, y_stride;
  float direction;  // 1 forward, -1 backward
};
XF_BACKENDS(rotary, RotaryArgs);

}  // namespace xf::kernels
