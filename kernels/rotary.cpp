#include "kernels/rotary.h"

#include <cmath>

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

namespace {

void check(const Signature& signature, const Tensor& x, const Tensor& positions, const Tensor& table, Out y) {
  const std::string_view op = signature.op();
  XF_CHECK(x.rank() == 2 && table.rank() == 2,
           "{}: input and table must be [T, D] and [S, Dh], got {} and {}", op, x.shape().to_string(),
           table.shape().to_string());
  const int64_t Dh = table.width();
  XF_CHECK(Dh > 0 && Dh % 2 == 0 && x.width() % Dh == 0,
           "{}: heads are as wide as the table, an even number that divides the width {}, got {}", op,
           x.width(), Dh);
  check_arguments(signature, {&x, &positions, &table, &y}, {{"Dh", Dh}});
}

void turn(const Tensor& x, const Tensor& positions, const Tensor& table, float direction, Out y) {
  if (x.numel() == 0) return;
  dispatch(x, [&]<typename T>(auto backend) {
    rotary(backend, RotaryArgs<T>{.x = x.data<T>(),
                                  .positions = positions.data<int32_t>(),
                                  .table = table.data<Acc<T>>(),
                                  .y = y.data<T>(),
                                  .tokens = x.rows(),
                                  .H = x.width() / table.width(),
                                  .P = table.width() / 2,
                                  .S = table.rows(),
                                  .x_stride = x.row_stride(),
                                  .y_stride = y.row_stride(),
                                  .direction = direction});
  });
}

template <typename T>
void write_table(double base, int64_t S, int64_t P, T* table) {
  for (int64_t s = 0; s < S; ++s) {
    for (int64_t i = 0; i < P; ++i) {
      const double angle =
          static_cast<double>(s) * std::pow(base, -static_cast<double>(i) / static_cast<double>(P));  // RO0
      table[s * 2 * P + i] = static_cast<T>(std::cos(angle));
      table[s * 2 * P + P + i] = static_cast<T>(std::sin(angle));
    }
  }
}

}  // namespace

void rotary_forward(const Tensor& x, const Tensor& positions, const Tensor& table, Out y) {
  check(signature_of("rotary_forward"), x, positions, table, y);
  turn(x, positions, table, 1, y);
}

void rotary_backward(const Tensor& dy, const Tensor& positions, const Tensor& table, Out dx) {
  check(signature_of("rotary_backward"), dy, positions, table, dx);
  turn(dy, positions, table, -1, dx);
}

void rotary_table(double base, Out table) {
  XF_CHECK(table.rank() == 2 && table.width() % 2 == 0,
           "rotary_table: table must be [S, Dh] with an even Dh, got {}", table.shape().to_string());
  check_arguments(signature_of("rotary_table"), {&table});
  XF_CHECK(table.device() == Device::cpu(), "rotary_table: table must be on the cpu, got {}",
           name_of(table.device()));
  const int64_t S = table.rows(), P = table.width() / 2;
  if (table.dtype() == DType::f64) {
    write_table(base, S, P, table.data<double>());
  } else {
    write_table(base, S, P, table.data<float>());
  }
}

}  // namespace xf::kernels
