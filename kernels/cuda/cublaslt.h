// The functions of cuBLASLt that products need, by name. The library is not linked: see
// cuda::cublaslt_library(), core/cuda.h.
#pragma once

#include <cublasLt.h>

namespace xf::kernels {

#define XF_CUBLASLT_FUNCTIONS(X)          \
  X(cublasLtGetVersion)                   \
  X(cublasLtGetStatusString)              \
  X(cublasLtCreate)                       \
  X(cublasLtMatmulDescCreate)             \
  X(cublasLtMatmulDescDestroy)            \
  X(cublasLtMatmulDescSetAttribute)       \
  X(cublasLtMatrixLayoutCreate)           \
  X(cublasLtMatrixLayoutDestroy)          \
  X(cublasLtMatrixLayoutSetAttribute)     \
  X(cublasLtMatmulPreferenceCreate)       \
  X(cublasLtMatmulPreferenceDestroy)      \
  X(cublasLtMatmulPreferenceSetAttribute) \
  X(cublasLtMatmulAlgoGetHeuristic)       \
  X(cublasLtMatmul)

struct CublasLt {
#define XF_FUNCTION(name) decltype(&::name) name = nullptr;
  XF_CUBLASLT_FUNCTIONS(XF_FUNCTION)
#undef XF_FUNCTION
};

// Throws, with the places looked into, where the library is not installed.
const CublasLt& cublaslt();

}  // namespace xf::kernels
