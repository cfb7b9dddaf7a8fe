#include "kernels/elementwise.h"

#include <algorithm>

#include "kernels/cpu/rows.h"

namespace xf::kernels {

template <typename T>
void add_in_place(Cpu, const RowsArgs<T>& args) {
  for_each_row(args.N, args.D,
               [&](int64_t n) { add_to(args.x + n * args.x_stride, args.D, args.y + n * args.y_stride); });
}

template <typename T>
void add_bias(Cpu, const RowsArgs<T>& args) {
  for_each_row(args.N, args.D, [&](int64_t n) { add_to(args.x, args.D, args.y + n * args.y_stride); });
}

template <typename T>
void sum_rows(Cpu, const SumRowsArgs<T>& args) {
  const Acc<T>* sums = column_sums<Acc<T>>(args.N, args.D, args.D, [&](int64_t n, Acc<T>* partial) {
    add_to(args.x + n * args.x_stride, args.D, partial);
  });
  add_to(sums, args.D, args.sum);
}

template <typename T>
void scale(Cpu, const RowsArgs<T>& args) {
  const Acc<T> alpha = args.alpha;
  for_each_row(args.N, args.D, [&](int64_t n) {
    const T* const x = args.x + n * args.x_stride;
    T* const y = args.y + n * args.y_stride;
#pragma omp simd
    for (int64_t i = 0; i < args.D; ++i) store(alpha * widen(x[i]), y + i);
  });
}

template <typename T>
void copy(Cpu, const RowsArgs<T>& args) {
  for_each_row(args.N, args.D, [&](int64_t n) {
    std::copy_n(args.x + n * args.x_stride, args.D, args.y + n * args.y_stride);
  });
}

template <typename T>
void fill_zero(Cpu, const RowsArgs<T>& args) {
  for_each_row(args.N, args.D, [&](int64_t n) { fill_zero(args.y + n * args.y_stride, args.D); });
}

template void add_in_place(Cpu, const RowsArgs<float>&);
template void add_in_place(Cpu, const RowsArgs<double>&);
template void add_in_place(Cpu, const RowsArgs<bf16>&);
template void add_bias(Cpu, const RowsArgs<float>&);
template void add_bias(Cpu, const RowsArgs<double>&);
template void add_bias(Cpu, const RowsArgs<bf16>&);
template void sum_rows(Cpu, const SumRowsArgs<float>&);
template void sum_rows(Cpu, const SumRowsArgs<double>&);
template void sum_rows(Cpu, const SumRowsArgs<bf16>&);
template void scale(Cpu, const RowsArgs<float>&);
template void scale(Cpu, const RowsArgs<double>&);
template void scale(Cpu, const RowsArgs<bf16>&);
template void copy(Cpu, const RowsArgs<float>&);
template void copy(Cpu, const RowsArgs<double>&);
template void copy(Cpu, const RowsArgs<bf16>&);
template void fill_zero(Cpu, const RowsArgs<float>&);
template void fill_zero(Cpu, const RowsArgs<double>&);
template void fill_zero(Cpu, const RowsArgs<bf16>&);

}  // namespace xf::kernels
