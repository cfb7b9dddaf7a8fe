// cuBLASLt's objects as the software GPU keeps them, and the three steps of a product: what the
// library would refuse, the product, the epilogue. Matrices are column-major, as the library's
// default.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/sim/include/cublasLt.h"

struct cublasLtContext {};

struct cublasLtMatrixLayoutOpaque_t {
  cudaDataType type;
  cublasLtOrder_t order = CUBLASLT_ORDER_COL;
  uint64_t rows, columns;
  int64_t ld;
  int32_t batch = 1;
  int64_t batch_stride = 0;
};

struct cublasLtMatmulDescOpaque_t {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  cublasOperation_t transpose_a = CUBLAS_OP_N, transpose_b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;  // also where a bias gradient goes
  int32_t bias_type = -1;
  void* aux = nullptr;
  int64_t aux_ld = 0;
  int32_t aux_type = -1;
};

struct cublasLtMatmulPreferenceOpaque_t {
  uint64_t workspace = 0;
  uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
  uint32_t alignment[4] = {256, 256, 256, 256};  // of a, b, c, d
};

namespace xf::sim::blas {

using Layout = cublasLtMatrixLayoutOpaque_t;
using Operation = cublasLtMatmulDescOpaque_t;

// d = epilogue(alpha op(a) op(b) + beta c): op(a) [m, k], op(b) [k, n], c and d [m, n].
struct Product {
  Operation operation;
  Layout a_layout, b_layout, c_layout, d_layout;
  float alpha, beta;
  const void *a, *b, *c;
  void* d;

  int64_t m() const { return static_cast<int64_t>(d_layout.rows); }
  int64_t n() const { return static_cast<int64_t>(d_layout.columns); }
  int64_t k() const {
    return static_cast<int64_t>(operation.transpose_a == CUBLAS_OP_N ? a_layout.columns : a_layout.rows);
  }
};

// "cublasLtMatmul 384x128x4088 + bias": m, n, k, of how many, and the epilogue.
std::string name_of(const Product& product);

bool has_bias(cublasLtEpilogue_t epilogue);
bool has_bias_gradient(cublasLtEpilogue_t epilogue);
bool has_relu_mask(cublasLtEpilogue_t epilogue);   // aux is a bit per element
bool has_gelu_input(cublasLtEpilogue_t epilogue);  // aux is a matrix of d's type

// Why the library would refuse it; empty: it would not. `status` is then what it would say.
std::string objection(const Operation& operation, const Layout& a, const Layout& b, const Layout& c,
                      const Layout& d, cublasStatus_t& status);
// The same of the pointers that the call brings, with the alignments that the algorithm was chosen
// for.
std::string objection(const Product& product, const uint32_t (&alignment)[4]);

float load(const void* matrix, cudaDataType type, int64_t index);
void store(void* matrix, cudaDataType type, int64_t index, float value);

// One matrix of the batch. Runs on the stream.
void multiply(const Product& product);
void apply_epilogue(const Product& product, std::vector<float>& d);

}  // namespace xf::sim::blas
