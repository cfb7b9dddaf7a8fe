// Sums that the tape and the layers need around the fused ops.
#pragma once

#include "core/backend.h"
#include "core/tensor.h"

namespace xf::kernels {

// y += x.  x, y of one shape; rows may be strided.
void add_in_place(const Tensor& x, Out y);
// y += bias on every row.  y [N, D], bias [D].
void add_bias(const Tensor& bias, Out y);
// sum [D] accumulated, Acc<T>: sum_n x[n, :].  Fixed order, whatever the number of threads.
void sum_rows(const Tensor& x, Out sum);
// y = alpha * x.  May be in place.
void scale(const Tensor& x, float alpha, Out y);
// The same with a factor that is known to the device: alpha [1], Acc<T>.
void scale(const Tensor& x, const Tensor& alpha, Out y);
// y += share (x - y).  share [1], Acc<T>.  One step of an exponential mean.
void move_towards(const Tensor& x, const Tensor& share, Out y);
// y = x where mask is not 0, else value.  x, y, mask (i32) of one shape, without gaps; y may be x.
// The gradient of x is the same of dy, with 0 for the value.
void masked_fill(const Tensor& x, const Tensor& mask, float value, Out y);
// y_n = x_m of m = rows_n, and 0 where that is kEmptyPlace (kernels/embedding.h).  x [M, D], rows
// i32 [N] in; y [N, D] written, not x. Another number that is no row's is an error on the CPU.
// Where no row is named twice, the gradient of x is the same of dy, by the places of its rows.
void gather_rows(const Tensor& x, const Tensor& rows, Out y);
// y = x;  y = 0.  Rows may be strided.
void copy(const Tensor& x, Out y);
void fill_zero(Out y);

template <typename T>
struct RowsArgs {
  const T* x;
  T* y;
  int64_t N, D, x_stride, y_stride;
  float alpha = 1;
  const Acc<T>* alpha_at = nullptr;  // where the factor lies, if not in alpha
};
template <typename T>
struct MaskedFillArgs {
  const T* x;
  const int32_t* mask;
  T* y;
  int64_t N, D;
  float value;
};
template <typename T>
struct GatherRowsArgs {
  const T* x;
  const int32_t* rows;
  T* y;
  int64_t M, N, D, x_stride, y_stride;
};
template <typename T>
struct SumRowsArgs {
  const T* x;
  Acc<T>* sum;
  int64_t N, D, x_stride;
};
XF_BACKENDS(add_in_place, RowsArgs);
template <typename T, CpuLevel L>
void add_bias(Cpu<L>, const RowsArgs<T>&);  // x = bias
template <typename T>
void add_bias(Cuda, const RowsArgs<T>&);  // x = bias
XF_BACKENDS(sum_rows, SumRowsArgs);
XF_BACKENDS(scale, RowsArgs);
template <typename T, CpuLevel L>
void move_towards(Cpu<L>, const RowsArgs<T>&);  // alpha_at = share
template <typename T>
void move_towards(Cuda, const RowsArgs<T>&);  // alpha_at = share
XF_BACKENDS(masked_fill, MaskedFillArgs);
XF_BACKENDS(gather_rows, GatherRowsArgs);
XF_BACKENDS(copy, RowsArgs);
XF_BACKENDS(fill_zero, RowsArgs);

}  // namespace xf::kernels
