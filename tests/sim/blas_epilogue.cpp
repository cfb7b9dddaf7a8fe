// What cuBLASLt does to a product before it stores it. GELU is the tanh approximation, as in the
// library.
#include <cmath>

#include "tests/sim/blas.h"
#include "tests/sim/observer.h"

namespace xf::sim::blas {

namespace {

constexpr float kA = 0.7978845608f, kB = 0.044715f;  // sqrt(2 / pi)

float gelu(float x) { return 0.5f * x * (1.0f + std::tanh(kA * (x + kB * x * x * x))); }

float gelu_derivative(float x) {
  const float t = std::tanh(kA * (x + kB * x * x * x));
  return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * kA * (1.0f + 3.0f * kB * x * x);
}

struct Bits {
  uint8_t* data;
  int64_t ld;

  bool at(int64_t i, int64_t j) const { return data[(j * ld + i) / 8] >> ((j * ld + i) % 8) & 1; }
  void set(int64_t i, int64_t j, bool bit) const {
    uint8_t& byte = data[(j * ld + i) / 8];
    const auto mask = static_cast<uint8_t>(1u << ((j * ld + i) % 8));
    byte = static_cast<uint8_t>(bit ? byte | mask : byte & ~mask);
    observe(&byte, 1, Access::write, {});
  }
};

float forward(const Product& p, int64_t i, int64_t j, float x) {
  const Operation& op = p.operation;
  const auto e = op.epilogue;
  if (has_bias(e)) x += load(op.bias, p.d_layout.type, i);
  if (e & 2) {
    if (has_relu_mask(e)) Bits{static_cast<uint8_t*>(op.aux), op.aux_ld}.set(i, j, x > 0);
    return x > 0 ? x : 0.0f;
  }
  if (e & 32) {
    if (has_gelu_input(e)) store(op.aux, p.d_layout.type, j * op.aux_ld + i, x);
    return gelu(x);
  }
  return x;
}

float backward(const Product& p, int64_t i, int64_t j, float dy) {
  const Operation& op = p.operation;
  if (op.epilogue & 8) return Bits{static_cast<uint8_t*>(op.aux), op.aux_ld}.at(i, j) ? dy : 0.0f;
  return dy * gelu_derivative(load(op.aux, p.d_layout.type, j * op.aux_ld + i));
}

// Sums over the columns of d: of what is stored there, before it is rounded.
void store_bias_gradient(const Product& p, const std::vector<float>& d) {
  for (int64_t i = 0; i < p.m(); ++i) {
    float sum = 0;
    for (int64_t j = 0; j < p.n(); ++j) sum += d[static_cast<size_t>(j * p.m() + i)];
    store(p.operation.bias, p.d_layout.type, i, sum);
  }
}

// BGRADA: sums of op(a)'s rows; BGRADB: of op(b)'s columns; both over k.
void store_operand_sums(const Product& p) {
  const bool of_a = p.operation.epilogue == CUBLASLT_EPILOGUE_BGRADA;
  const Layout& layout = of_a ? p.a_layout : p.b_layout;
  const bool transposed = (of_a ? p.operation.transpose_a : p.operation.transpose_b) == CUBLAS_OP_T;
  const int64_t along_rows = of_a == transposed;  // k runs down the matrix's rows, the contiguous
                                                  // way
  for (int64_t i = 0; i < (of_a ? p.m() : p.n()); ++i) {
    float sum = 0;
    for (int64_t k = 0; k < p.k(); ++k) {
      sum += load(of_a ? p.a : p.b, layout.type, along_rows ? i * layout.ld + k : k * layout.ld + i);
    }
    store(p.operation.bias, p.d_layout.type, i, sum);
  }
}

}  // namespace

void apply_epilogue(const Product& p, std::vector<float>& d) {
  const auto e = p.operation.epilogue;
  if (e == CUBLASLT_EPILOGUE_DEFAULT) return;
  if (e == CUBLASLT_EPILOGUE_BGRADA || e == CUBLASLT_EPILOGUE_BGRADB) return store_operand_sums(p);
  const bool is_backward = e & (8 | 64);
  for (int64_t j = 0; j < p.n(); ++j) {
    for (int64_t i = 0; i < p.m(); ++i) {
      float& x = d[static_cast<size_t>(j * p.m() + i)];
      x = is_backward ? backward(p, i, j, x) : forward(p, i, j, x);
    }
  }
  if (has_bias_gradient(e)) store_bias_gradient(p, d);
}

}  // namespace xf::sim::blas
