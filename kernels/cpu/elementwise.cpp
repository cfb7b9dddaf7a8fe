#include "kernels/elementwise.h"

#include <algorithm>

#include "kernels/cpu/element.h"
#include "kernels/cpu/rows.h"
#include "kernels/embedding.h"

namespace xf::kernels {

template <typename T, CpuLevel L>
void add_in_place(Cpu<L>, const RowsArgs<T>& args) {
  for_each_row(args.N, args.D,
               [&](int64_t n) { add_to(args.x + n * args.x_stride, args.D, args.y + n * args.y_stride); });
}

template <typename T, CpuLevel L>
void add_bias(Cpu<L>, const RowsArgs<T>& args) {
  for_each_row(args.N, args.D, [&](int64_t n) { add_to(args.x, args.D, args.y + n * args.y_stride); });
}

template <typename T, CpuLevel L>
void sum_rows(Cpu<L>, const SumRowsArgs<T>& args) {
  const Acc<T>* sums = column_sums<Acc<T>>(args.N, args.D, args.D, [&](int64_t n, Acc<T>* partial) {
    add_to(args.x + n * args.x_stride, args.D, partial);
  });
  add_to(sums, args.D, args.sum);
}

template <typename T, CpuLevel L>
void scale(Cpu<L>, const RowsArgs<T>& args) {
  const Acc<T> alpha = args.alpha_at ? *args.alpha_at : static_cast<Acc<T>>(args.alpha);
  for_each_row(args.N, args.D, [&](int64_t n) {
    const T* const x = args.x + n * args.x_stride;
    T* const y = args.y + n * args.y_stride;
#pragma omp simd
    for (int64_t i = 0; i < args.D; ++i) store(alpha * widen(x[i]), y + i);
  });
}

template <typename T, CpuLevel L>
void move_towards(Cpu<L>, const RowsArgs<T>& args) {
  const Acc<T> share = *args.alpha_at;
  for_each_row(args.N, args.D, [&](int64_t n) {
    const T* const x = args.x + n * args.x_stride;
    T* const y = args.y + n * args.y_stride;
#pragma omp simd
    for (int64_t i = 0; i < args.D; ++i) store(widen(y[i]) + share * (widen(x[i]) - widen(y[i])), y + i);
  });
}

template <typename T, CpuLevel L>
void masked_fill(Cpu<L>, const MaskedFillArgs<T>& args) {
  const T value = static_cast<T>(args.value);
  for_each_row(args.N, args.D, [&](int64_t n) {
    const T* const x = args.x + n * args.D;
    const int32_t* const mask = args.mask + n * args.D;
    T* const y = args.y + n * args.D;
    for (int64_t i = 0; i < args.D; ++i) y[i] = mask[i] != 0 ? x[i] : value;
  });
}

template <typename T, CpuLevel L>
void gather_rows(Cpu<L>, const GatherRowsArgs<T>& args) {
  for_each_row(args.N, args.D, [&](int64_t n) {
    const int64_t m = args.rows[n];
    T* const y = args.y + n * args.y_stride;
    if (m == kEmptyPlace) return fill_zero(y, args.D);
    XF_CHECK(m >= 0 && m < args.M, "gather_rows: row {} at index {} is outside of the {} rows", m, n, args.M);
    std::copy_n(args.x + m * args.x_stride, args.D, y);
  });
}

template <typename T, CpuLevel L>
void copy(Cpu<L>, const RowsArgs<T>& args) {
  for_each_row(args.N, args.D, [&](int64_t n) {
    std::copy_n(args.x + n * args.x_stride, args.D, args.y + n * args.y_stride);
  });
}

template <typename T, CpuLevel L>
void fill_zero(Cpu<L>, const RowsArgs<T>& args) {
  for_each_row(args.N, args.D, [&](int64_t n) { fill_zero(args.y + n * args.y_stride, args.D); });
}

XF_INSTANTIATE(add_in_place, RowsArgs);
XF_INSTANTIATE(add_bias, RowsArgs);
XF_INSTANTIATE(sum_rows, SumRowsArgs);
XF_INSTANTIATE(scale, RowsArgs);
XF_INSTANTIATE(move_towards, RowsArgs);
XF_INSTANTIATE(masked_fill, MaskedFillArgs);
XF_INSTANTIATE(gather_rows, GatherRowsArgs);
XF_INSTANTIATE(copy, RowsArgs);
XF_INSTANTIATE(fill_zero, RowsArgs);

}  // namespace xf::kernels
