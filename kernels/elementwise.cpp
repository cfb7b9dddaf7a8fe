#include "kernels/elementwise.h"

#include "core/dispatch.h"
#include "kernels/checks.h"

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
  check_shape(y, x.shape(), "add_in_place: y");
  check_same_dtype("add_in_place", {&x, &y});
  check_same_device("add_in_place", {&x, &y});
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) { add_in_place(backend, rows_args<T>(x, y, y)); });
}

void add_bias(const Tensor& bias, Out y) {
  check_shape(bias, {y.width()}, "add_bias: bias");
  check_same_dtype("add_bias", {&bias, &y});
  check_same_device("add_bias", {&bias, &y});
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) { add_bias(backend, rows_args<T>(bias, y, y)); });
}

void sum_rows(const Tensor& x, Out sum) {
  check_shape(sum, {x.width()}, "sum_rows: sum");
  check_accumulates("sum_rows", x.dtype(), {&sum});
  check_same_device("sum_rows", {&x, &sum});
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
  check_shape(y, x.shape(), "scale: y");
  check_same_dtype("scale", {&x, &y});
  check_same_device("scale", {&x, &y});
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) { scale(backend, rows_args<T>(x, y, y, alpha)); });
}

void scale(const Tensor& x, const Tensor& alpha, Out y) {
  check_shape(alpha, {1}, "scale: alpha");
  check_dtype(alpha, accumulator_of(x.dtype()), "scale: alpha");
  check_shape(y, x.shape(), "scale: y");
  check_same_dtype("scale", {&x, &y});
  check_same_device("scale", {&x, &alpha, &y});
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) {
    RowsArgs<T> args = rows_args<T>(x, y, y);
    args.alpha_at = alpha.data<Acc<T>>();
    scale(backend, args);
  });
}

void move_towards(const Tensor& x, const Tensor& share, Out y) {
  check_shape(share, {1}, "move_towards: share");
  check_dtype(share, accumulator_of(x.dtype()), "move_towards: share");
  check_shape(y, x.shape(), "move_towards: y");
  check_same_dtype("move_towards", {&x, &y});
  check_same_device("move_towards", {&x, &share, &y});
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) {
    RowsArgs<T> args = rows_args<T>(x, y, y);
    args.alpha_at = share.data<Acc<T>>();
    move_towards(backend, args);
  });
}

void masked_fill(const Tensor& x, const Tensor& mask, float value, Out y) {
  check_shape(mask, x.shape(), "masked_fill: mask");
  check_dtype(mask, DType::i32, "masked_fill: mask");
  check_shape(y, x.shape(), "masked_fill: y");
  for (const Tensor* t : {&x, &mask, &y}) check_contiguous(*t, "masked_fill: x, mask and y");
  check_same_dtype("masked_fill", {&x, &y});
  check_same_device("masked_fill", {&x, &mask, &y});
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
  check_dtype(rows, DType::i32, "gather_rows: rows");
  check_shape(y, {rows.numel(), x.width()}, "gather_rows: y");
  check_same_dtype("gather_rows", {&x, &y});
  check_same_device("gather_rows", {&x, &rows, &y});
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
  check_shape(y, x.shape(), "copy: y");
  check_same_dtype("copy", {&x, &y});
  check_same_device("copy", {&x, &y});
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) { copy(backend, rows_args<T>(x, y, y)); });
}

void fill_zero(Out y) {
  if (y.numel() == 0) return;
  dispatch(y, [&]<typename T>(auto backend) { fill_zero(backend, rows_args<T>(y, y, y)); });
}

}  // namespace xf::kernels
