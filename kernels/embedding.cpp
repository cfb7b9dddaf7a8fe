#include "kernels/embedding.h"

#include <cmath>

#include "core/dispatch.h"
#include "kernels/checks.h"

namespace xf::kernels {

namespace {

// What does not depend on the table, [V, D].
void check_tokens(const Tensor& ids, const Tensor& positions, int64_t D, const Tensor& position_table,
                  Out x) {
  check_dtype(ids, DType::i32, "embedding: ids");
  check_dtype(positions, DType::i32, "embedding: positions");
  check_shape(positions, ids.shape(), "embedding: positions");
  check_shape(position_table, {position_table.rows(), D}, "embedding: position_table");
  check_shape(x, {ids.numel(), D}, "embedding: x");
}

}  // namespace

void embedding_forward(const Tensor& ids, const Tensor& positions, const Tensor& table,
                       const Tensor& position_table, float scale, const Dropout& dropout, Out x) {
  const int64_t N = ids.numel(), D = table.width();
  check_tokens(ids, positions, D, position_table, x);
  check_shape(table, {table.rows(), D}, "embedding: table");
  for (const Tensor* t : {&table, &position_table, &x}) check_contiguous(*t, "embedding: tables and x");
  check_same_dtype("embedding", {&table, &position_table, &x});
  check_same_device("embedding", {&ids, &positions, &table, &position_table, &x});
  if (x.numel() == 0) return;
  dispatch(table, [&]<typename T>(auto backend) {
    embedding_forward(backend, EmbeddingForwardArgs<T>{.ids = ids.data<int32_t>(),
                                                       .positions = positions.data<int32_t>(),
                                                       .table = table.data<T>(),
                                                       .position_table = position_table.data<T>(),
                                                       .x = x.data<T>(),
                                                       .N = N,
                                                       .D = D,
                                                       .V = table.rows(),
                                                       .P = position_table.rows(),
                                                       .scale = scale,
                                                       .dropout = dropout_args(dropout)});
  });
}

void quantized_embedding_forward(const Tensor& ids, const Tensor& positions, const QuantizedWeights& table,
                                 const Tensor& position_table, float scale, Out x) {
  check_tokens(ids, positions, table.K, position_table, x);
  for (const Tensor* t : {&position_table, &x}) {
    check_contiguous(*t, "embedding: position_table and x");
    check_dtype(*t, DType::f32, "embedding: position_table and x");
  }
  check_same_device("embedding", {&ids, &positions, &table.quads, &position_table, &x});
  if (x.numel() == 0) return;
  dispatch_cpu([&](auto backend) {
    quantized_embedding_forward(backend,
                                QuantizedEmbeddingArgs{.ids = ids.data<int32_t>(),
                                                       .positions = positions.data<int32_t>(),
                                                       .quads = table.quads.data<int32_t>(),
                                                       .scales = table.scales.data<float>(),
                                                       .position_table = position_table.data<float>(),
                                                       .x = x.data<float>(),
                                                       .N = ids.numel(),
                                                       .D = table.K,
                                                       .V = table.M,
                                                       .P = position_table.rows(),
                                                       .scale = scale});
  });
}

void embedding_backward(const Tensor& dx, const Tensor& ids, const Tensor& order, float scale,
                        const Dropout& dropout, Out dtable) {
  const int64_t N = ids.numel(), D = dtable.width();
  check_dtype(ids, DType::i32, "embedding_backward: ids");
  check_dtype(order, DType::i32, "embedding_backward: order");
  check_shape(order, ids.shape(), "embedding_backward: order");
  check_shape(dx, {N, D}, "embedding_backward: dx");
  check_shape(dtable, {dtable.rows(), D}, "embedding_backward: dtable");
  for (const Tensor* t : {&dx, &dtable}) check_contiguous(*t, "embedding_backward: dx and dtable");
  check_accumulates("embedding_backward", dx.dtype(), {&dtable});
  check_same_device("embedding_backward", {&dx, &ids, &order, &dtable});
  if (dx.numel() == 0) return;
  dispatch(dx, [&]<typename T>(auto backend) {
    embedding_backward(backend, EmbeddingBackwardArgs<T>{.dx = dx.data<T>(),
                                                         .ids = ids.data<int32_t>(),
                                                         .order = order.data<int32_t>(),
                                                         .dtable = dtable.data<Acc<T>>(),
                                                         .N = N,
                                                         .D = D,
                                                         .V = dtable.rows(),
                                                         .scale = scale,
                                                         .dropout = dropout_args(dropout)});
  });
}

namespace {

template <typename T>
void write_sinusoids(PositionLayout layout, int64_t P, int64_t D, T* table) {
  // With a single pair there is but one frequency.
  const auto span = static_cast<double>(layout == PositionLayout::marian ? std::max<int64_t>(D - 2, 1) : D);
  for (int64_t p = 0; p < P; ++p) {
    T* const row = table + p * D;
    for (int64_t i = 0; i < D / 2; ++i) {
      const double angle = static_cast<double>(p) / std::pow(10000.0, static_cast<double>(2 * i) / span);
      const bool interleaved = layout == PositionLayout::interleaved;
      row[interleaved ? 2 * i : i] = static_cast<T>(std::sin(angle));
      row[interleaved ? 2 * i + 1 : D / 2 + i] = static_cast<T>(std::cos(angle));
    }
  }
}

}  // namespace

void sinusoid_positions(PositionLayout layout, Out table) {
  const int64_t P = table.rows(), D = table.width();
  check_contiguous(table, "sinusoid_positions: table");
  XF_CHECK(table.rank() == 2 && D % 2 == 0, "sinusoid_positions: table must be [P, D] with an even D, got {}",
           table.shape().to_string());
  XF_CHECK(table.device() == Device::cpu(), "sinusoid_positions: table must be on the cpu, got {}",
           name_of(table.device()));
  if (table.dtype() == DType::f64) {
    write_sinusoids(layout, P, D, table.data<double>());
  } else {
    write_sinusoids(layout, P, D, table.data<float>());
  }
}

}  // namespace xf::kernels
