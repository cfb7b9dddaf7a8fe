#include "kernels/embedding.h"

#include <cmath>

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

void embedding_forward(const Tensor& ids, const Tensor& positions, const Tensor& table,
                       const Tensor& position_table, float scale, const Dropout& dropout, Out x) {
  const int64_t N = ids.numel(), D = table.width();
  check_arguments(signature_of("embedding_forward"),
                  {&ids, &positions, &table, &position_table, &dropout.counter, &x});
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
  check_arguments(signature_of("quantized_embedding_forward"),
                  {&ids, &positions, &table.quads, &position_table, &x}, {{"D", table.K}});
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
  check_arguments(signature_of("embedding_backward"), {&dx, &ids, &order, &dropout.counter, &dtable});
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
  check_arguments(signature_of("sinusoid_positions"), {&table});
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
