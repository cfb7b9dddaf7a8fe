// What cuBLASLt refuses. From its reference manual, and two rules that its users found: bias
// vectors on 16 bytes, and pointers as aligned as the algorithm was told they would be.
#include <fmt/core.h>

#include <array>
#include <utility>

#include "tests/sim/blas.h"
#include "tests/sim/memory.h"

namespace xf::sim::blas {

namespace {

int64_t size_of(cudaDataType type) { return type == CUDA_R_32F ? 4 : 2; }

bool known(cublasLtEpilogue_t epilogue) {
  switch (epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT:
    case CUBLASLT_EPILOGUE_RELU:
    case CUBLASLT_EPILOGUE_RELU_AUX:
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
    case CUBLASLT_EPILOGUE_RELU_AUX_BIAS:
    case CUBLASLT_EPILOGUE_DRELU:
    case CUBLASLT_EPILOGUE_DRELU_BGRAD:
    case CUBLASLT_EPILOGUE_GELU:
    case CUBLASLT_EPILOGUE_GELU_AUX:
    case CUBLASLT_EPILOGUE_GELU_BIAS:
    case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
    case CUBLASLT_EPILOGUE_DGELU:
    case CUBLASLT_EPILOGUE_DGELU_BGRAD:
    case CUBLASLT_EPILOGUE_BGRADA:
    case CUBLASLT_EPILOGUE_BGRADB: return true;
  }
  return false;
}

std::string layout_objection(const char* name, const Layout& layout) {
  if (layout.order != CUBLASLT_ORDER_COL)
    return fmt::format("{} is row-major; swap the operands instead", name);
  if (layout.rows == 0 || layout.columns == 0) return fmt::format("{} is empty", name);
  if (layout.ld < static_cast<int64_t>(layout.rows)) {
    return fmt::format("{}: the leading dimension {} is less than the {} rows", name, layout.ld, layout.rows);
  }
  if (layout.batch > 1 && layout.batch_stride < 0) return fmt::format("{}: a negative batch stride", name);
  return "";
}

std::string shape_objection(const Operation& op, const Layout& a, const Layout& b, const Layout& c,
                            const Layout& d) {
  const bool ta = op.transpose_a == CUBLAS_OP_T, tb = op.transpose_b == CUBLAS_OP_T;
  const uint64_t m = ta ? a.columns : a.rows, k = ta ? a.rows : a.columns;
  const uint64_t kb = tb ? b.columns : b.rows, n = tb ? b.rows : b.columns;
  if (k != kb) return fmt::format("op(a) has {} columns and op(b) {} rows", k, kb);
  if (d.rows != m || d.columns != n)
    return fmt::format("d is [{}, {}], not [{}, {}]", d.rows, d.columns, m, n);
  if (c.rows != m || c.columns != n)
    return fmt::format("c is [{}, {}], not [{}, {}]", c.rows, c.columns, m, n);
  if (a.batch != d.batch || b.batch != d.batch || c.batch != d.batch) return "the batch counts differ";
  return "";
}

std::string type_objection(const Operation& op, const Layout& a, const Layout& b, const Layout& c,
                           const Layout& d) {
  const bool f32 = a.type == CUDA_R_32F, bf16 = a.type == CUDA_R_16BF;
  if ((!f32 && !bf16) || a.type != b.type) return "a and b must both be f32 or both bf16";
  if (c.type != d.type) return "c and d must have one type";
  if (d.type != CUDA_R_32F && !(bf16 && d.type == CUDA_R_16BF)) return "d must be f32, or bf16 as a and b";
  if (op.scale != CUDA_R_32F) return "the scale type must be f32";
  if (bf16 && op.compute == CUBLAS_COMPUTE_32F_FAST_TF32) return "TF32 computes with f32 operands";
  return "";
}

std::string epilogue_objection(const Operation& op, const Layout& d) {
  const auto e = op.epilogue;
  if (!known(e)) return fmt::format("no such epilogue: {}", static_cast<int>(e));
  if ((has_bias(e) || has_bias_gradient(e)) && op.bias_type != -1 && op.bias_type != d.type) {
    return "a bias or its gradient has the type of d";
  }
  const int64_t step = has_relu_mask(e) ? 128 : has_gelu_input(e) ? 8 : 0;
  if (step == 0) return "";
  if (op.aux_ld % step != 0 || op.aux_ld < static_cast<int64_t>(d.rows)) {
    return fmt::format("the auxiliary leading dimension {} must be a multiple of {} and at least {}",
                       op.aux_ld, step, d.rows);
  }
  if (has_gelu_input(e) && op.aux_type != -1 && op.aux_type != d.type)
    return "the GELU input has the type of d";
  if (d.batch > 1) return "an auxiliary matrix with a batch";
  return "";
}

// The bytes from the first to the last element of one matrix.
size_t extent(const Layout& layout) {
  const int64_t last =
      (static_cast<int64_t>(layout.columns) - 1) * layout.ld + static_cast<int64_t>(layout.rows);
  return static_cast<size_t>(((layout.batch - 1) * layout.batch_stride + last) * size_of(layout.type));
}

// Bytes from a matrix of a batch to the next.
size_t apart(const Layout& layout) {
  return layout.batch > 1 ? static_cast<size_t>(layout.batch_stride * size_of(layout.type)) : 0;
}

// `apart`: bytes from a matrix of a batch to the next.
std::string pointer_objection(const char* name, const void* data, size_t bytes, uint32_t alignment,
                              size_t apart = 0) {
  if ((reinterpret_cast<uintptr_t>(data) | apart) % alignment != 0) {
    return fmt::format("{} is not aligned to {} bytes, as was said or is needed", name, alignment);
  }
  if (!memory::is_device(data, bytes)) return fmt::format("{} is not inside one live allocation", name);
  return "";
}

}  // namespace

bool has_bias(cublasLtEpilogue_t e) { return e & 4; }
bool has_bias_gradient(cublasLtEpilogue_t e) {
  return (e & 16) || e == CUBLASLT_EPILOGUE_BGRADA || e == CUBLASLT_EPILOGUE_BGRADB;
}
bool has_relu_mask(cublasLtEpilogue_t e) { return (e & 128) && (e & (2 | 8)); }
bool has_gelu_input(cublasLtEpilogue_t e) { return (e & 128) && (e & (32 | 64)); }

std::string objection(const Operation& operation, const Layout& a, const Layout& b, const Layout& c,
                      const Layout& d, cublasStatus_t& status) {
  status = CUBLAS_STATUS_INVALID_VALUE;
  const std::array<std::pair<const char*, const Layout*>, 4> layouts = {
      {{"a", &a}, {"b", &b}, {"c", &c}, {"d", &d}}};
  for (const auto& [name, layout] : layouts) {
    const std::string why = layout_objection(name, *layout);
    if (!why.empty()) {
      if (layout->order != CUBLASLT_ORDER_COL) status = CUBLAS_STATUS_NOT_SUPPORTED;
      return why;
    }
  }
  if (const std::string why = shape_objection(operation, a, b, c, d); !why.empty()) return why;
  status = CUBLAS_STATUS_NOT_SUPPORTED;
  if (const std::string why = type_objection(operation, a, b, c, d); !why.empty()) return why;
  return epilogue_objection(operation, d);
}

std::string objection(const Product& p, const uint32_t (&alignment)[4]) {
  constexpr uint32_t kVector = 16;
  const Operation& op = p.operation;
  const auto matrices = [&](const char* name, const void* data, const Layout& layout, uint32_t promised) {
    return pointer_objection(name, data, extent(layout), promised, apart(layout));
  };
  std::string why = matrices("a", p.a, p.a_layout, alignment[0]);
  if (why.empty()) why = matrices("b", p.b, p.b_layout, alignment[1]);
  if (why.empty() && p.beta != 0) why = matrices("c", p.c, p.c_layout, alignment[2]);
  if (why.empty()) why = matrices("d", p.d, p.d_layout, alignment[3]);
  if (why.empty() && (has_bias(op.epilogue) || has_bias_gradient(op.epilogue))) {
    const int64_t length = op.epilogue == CUBLASLT_EPILOGUE_BGRADB ? p.n() : p.m();
    why = pointer_objection("the bias", op.bias, static_cast<size_t>(length * size_of(p.d_layout.type)),
                            kVector);
  }
  if (why.empty() && has_relu_mask(op.epilogue)) {
    const int64_t bits = (p.n() - 1) * op.aux_ld + p.m();
    why = pointer_objection("the ReLU mask", op.aux, static_cast<size_t>((bits + 7) / 8), kVector);
  }
  if (why.empty() && has_gelu_input(op.epilogue)) {
    const int64_t elements = (p.n() - 1) * op.aux_ld + p.m();
    why = pointer_objection("the GELU input", op.aux,
                            static_cast<size_t>(elements * size_of(p.d_layout.type)), kVector);
  }
  return why;
}

}  // namespace xf::sim::blas
