// cuBLASLt's functions.
#include <cstring>

#include "core/cuda.h"
#include "core/error.h"
#include "kernels/cuda/cublaslt.h"
#include "tests/sim/blas.h"
#include "tests/sim/memory.h"
#include "tests/sim/stream.h"

using namespace xf::sim;

namespace {

constexpr size_t kVersion = 130000;

// An algorithm is what it was chosen for.
struct Algorithm {
  uint32_t alignment[4];
  uint64_t workspace;
};
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));

template <typename T>
cublasStatus_t set(T& member, const void* value, size_t bytes) {
  if (!value || bytes != sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&member, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

// The library's log is where it says why it refused; here it is an error, so that nothing goes on
// without a product.
[[noreturn]] void refuse(const std::string& why) {
  xf::fail(xf::ErrorKind::failure, "sim: cublasLtMatmul: {}", why);
}

const char* name_of(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
  }
  return "unknown";
}

// The batch, one matrix after another.
void run(blas::Product product) {
  const auto size = [](const blas::Layout& layout) { return layout.type == CUDA_R_32F ? 4 : 2; };
  for (int32_t i = 0; i < product.d_layout.batch; ++i) {
    blas::multiply(product);
    product.a = static_cast<const char*>(product.a) + product.a_layout.batch_stride * size(product.a_layout);
    product.b = static_cast<const char*>(product.b) + product.b_layout.batch_stride * size(product.b_layout);
    product.c = static_cast<const char*>(product.c) + product.c_layout.batch_stride * size(product.c_layout);
    product.d = static_cast<char*>(product.d) + product.d_layout.batch_stride * size(product.d_layout);
  }
}

}  // namespace

extern "C" {

size_t cublasLtGetVersion() { return kVersion; }
const char* cublasLtGetStatusName(cublasStatus_t status) { return name_of(status); }
const char* cublasLtGetStatusString(cublasStatus_t status) { return name_of(status); }

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = new cublasLtContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* descriptor, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  *descriptor = new cublasLtMatmulDescOpaque_t{compute, scale};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t descriptor) {
  delete descriptor;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t x,
                                              cublasLtMatmulDescAttributes_t attribute, const void* value,
                                              size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA: return set(x->transpose_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB: return set(x->transpose_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE: return set(x->epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return set(x->bias, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: return set(x->bias_type, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER: return set(x->aux, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD: return set(x->aux_ld, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE: return set(x->aux_type, value, bytes);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld) {
  *layout = new cublasLtMatrixLayoutOpaque_t{.type = type, .rows = rows, .columns = columns, .ld = ld};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t x,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* value,
                                                size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE: return set(x->type, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_ORDER: return set(x->order, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_ROWS: return set(x->rows, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_COLS: return set(x->columns, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_LD: return set(x->ld, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return set(x->batch, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return set(x->batch_stride, value, bytes);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = new cublasLtMatmulPreferenceOpaque_t;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t x,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES: return set(x->workspace, value, bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK: return set(x->reductions, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES: return set(x->alignment[0], value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES: return set(x->alignment[1], value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES: return set(x->alignment[2], value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES: return set(x->alignment[3], value, bytes);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t descriptor,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[], int* found) {
  *found = 0;
  if (!handle || !descriptor || !a || !b || !c || !d || !preference || wanted < 1)
    return CUBLAS_STATUS_INVALID_VALUE;
  cublasStatus_t status;
  if (!blas::objection(*descriptor, *a, *b, *c, *d, status).empty()) return status;
  results[0] = {};
  Algorithm algorithm{};
  std::memcpy(algorithm.alignment, preference->alignment, sizeof algorithm.alignment);
  algorithm.workspace = preference->workspace;
  std::memcpy(&results[0].algo, &algorithm, sizeof algorithm);
  results[0].workspaceSize = preference->workspace;
  results[0].wavesCount = 1;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t*,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                    void* value, size_t bytes, size_t* written) {
  // no split, no reduction
  const uint32_t answer = attribute == CUBLASLT_ALGO_CONFIG_SPLITK_NUM ? 1 : 0;
  if (bytes < sizeof answer) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, &answer, sizeof answer);
  if (written) *written = sizeof answer;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t descriptor, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algo, void* workspace, size_t workspace_bytes,
                              cudaStream_t stream) {
  if (!handle || !descriptor || !a_layout || !b_layout || !c_layout || !d_layout)
    return CUBLAS_STATUS_INVALID_VALUE;
  const std::lock_guard lock(machine_lock());
  cublasStatus_t status;
  const std::string why = blas::objection(*descriptor, *a_layout, *b_layout, *c_layout, *d_layout, status);
  if (!why.empty()) refuse(why);
  Algorithm algorithm{{256, 256, 256, 256}, 0};
  if (algo) std::memcpy(&algorithm, algo, sizeof algorithm);
  if (workspace_bytes < algorithm.workspace) refuse("the workspace is smaller than the algorithm was told");
  if (workspace_bytes > 0 &&
      (!memory::is_device(workspace, workspace_bytes) || reinterpret_cast<uintptr_t>(workspace) % 256 != 0)) {
    refuse("the workspace is not inside one live allocation, or not 256-byte aligned");
  }
  const blas::Product product{*descriptor,
                              *a_layout,
                              *b_layout,
                              *c_layout,
                              *d_layout,
                              *static_cast<const float*>(alpha),
                              *static_cast<const float*>(beta),
                              a,
                              b,
                              c,
                              d};
  if (const std::string bad = blas::objection(product, algorithm.alignment); !bad.empty()) refuse(bad);
  push(stream, {cudaGraphNodeTypeKernel, address_of_name(blas::name_of(product))},
       [product] { run(product); });
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"

// In place of core/cublaslt.cpp and kernels/cuda/cublaslt.cpp, which load a library.
void* xf::cuda::cublaslt_library() {
  static char present;
  return &present;
}
std::string xf::cuda::cublaslt_places() { return "libcublasLt of the software GPU"; }

const xf::kernels::CublasLt& xf::kernels::cublaslt() {
#define XF_FUNCTION(name) &::name,
  static constexpr CublasLt kFunctions{XF_CUBLASLT_FUNCTIONS(XF_FUNCTION)};
#undef XF_FUNCTION
  return kFunctions;
}
