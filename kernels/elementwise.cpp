#include "kernels/elementwise.h"

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

namespace {

template <typename T>
RowsArgs<T> rows_args(const Tensor& x, Out y, const Tensor& rows, float alpha = 1) {
  return {.x = x.data<T>(),
          .y = y.data<T>(),
          .N = rows.rows(),
          .D = rows.width(),
          .x_stride = x.row_stride(),
          .y_stride = y.row_stride(),
          .alpha = alpha};
}

}  // namespace

void add_in_place(const Tensor& x, Out y) {
  check_arguments(signature_of("add_in_place"), {&x, &y});
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) { add_in_place(backend, rows_args<T>(x, y, y)); });
}

void add_bias(const Tensor& bias, Out y) {
  check_arguments(signature_of("add_bias"), {&bias, &y});
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) { add_bias(backend, rows_args<T>(bias, y, y)); });
}

void sum_rows(const Tensor& x, Out sum) {
  check_arguments(signature_of("sum_rows"), {&x, &sum});
  if (x.numel() == 0) return;
  dispatch(x, [&]<typename T>(auto backend) {
    sum_rows(backend, SumRowsArgs<T>{.x = x.data<T>(),
                                     .sum = sum.data<Acc<T>>(),
                                     .N = x.rows(),
                                     .D = x.width(),
                                     .x_stride = x.row_stride()});
  });
}

void scale(const Tensor& x, float alpha, Out y) {
  check_arguments(signature_of("scale"), {&x, nullptr, &y});
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) { scale(backend, rows_args<T>(x, y, y, alpha)); });
}

void scale(const Tensor& x, const Tensor& alpha, Out y) {
  check_arguments(signature_of("scale"), {&x, &alpha, &y});
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) {
    RowsArgs<T> args = rows_args<T>(x, y, y);
    args.alpha_at = alpha.data<Acc<T>>();
    scale(backend, args);
  });
}

void move_towards(const Tensor& x, const Tensor& share, Out y) {
  check_arguments(signature_of("move_towards"), {&x, &share, &y});
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) {
    RowsArgs<T> args = rows_args<T>(x, y, y);
    args.alpha_at = share.data<Acc<T>>();
    move_towards(backend, args);
  });
}

void masked_fill(const Tensor& x, const Tensor& mask, float value, Out y) {
  check_arguments(signature_of("masked_fill"), {&x, &mask, &y});
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) {
    masked_fill(backend, MaskedFillArgs<T>{.x = x.data<T>(),
                                           .mask = mask.data<int32_t>(),
                                           .y = y.data<T>(),
                                           .N = y.rows(),
                                           .D = y.width(),
                                           .value = value});
  });
}

void gather_rows(const Tensor& x, const Tensor& rows, Out y) {
  check_arguments(signature_of("gather_rows"), {&x, &rows, &y});
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) {
    gather_rows(backend, GatherRowsArgs<T>{.x = x.data<T>(),
                                           .rows = rows.data<int32_t>(),
                                           .y = y.data<T>(),
                                           .M = x.rows(),
                                           .N = y.rows(),
                                           .D = y.width(),
                                           .x_stride = x.row_stride(),
                                           .y_stride = y.row_stride()});
  });
}

void copy(const Tensor& x, Out y) {
  check_arguments(signature_of("copy"), {&x, &y});
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) { copy(backend, rows_args<T>(x, y, y)); });
}

void fill_zero(Out y) {
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) { fill_zero(backend, rows_args<T>(y, y, y)); });
}

}  // namespace xf::kernels
