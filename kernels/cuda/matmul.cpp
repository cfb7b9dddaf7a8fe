// Products through cuBLASLt. Host code only.
//
// Row-major by swapping the operands: what lies in memory as a row-major [R, C] matrix is, read by
// columns, its transpose. C = op(A) op(B) by rows is therefore C^T = op(B)^T op(A)^T by columns,
// with no element moved: the library's first operand is our B, its second our A, and N comes before
// M. (The library also knows a row order, but its bias vectors run along the rows of D: after the
// swap these are the N outputs of a layer, which is what a bias belongs to; in row order they would
// be the tokens.)
//
// f32 products are f32 throughout, or where that is asked for in TF32. bf16 products are summed in
// f32. A sum may be split over K only where the parts are added in a step of its own and in a fixed
// order: same product, same bits.
#include "kernels/matmul.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/cuda.h"
#include "kernels/cuda/cublaslt.h"
#include "kernels/cuda/product.h"
#include "kernels/elementwise.h"

namespace xf::kernels {

namespace {

constexpr uint64_t kWorkspaceBytes = 32ull << 20;  // what the library asks for on Hopper
// Vector loads, cp.async and bulk copies want 16 bytes and no more. Promising no more keeps the
// choice of a kernel from depending on where in an arena a tensor came to lie.
constexpr uintptr_t kBestAlignment = 16;

void check_status(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    fail(ErrorKind::failure, "cuda: {}: {}", what, cublaslt().cublasLtGetStatusString(status));
}

template <auto destroy>  // a member of CublasLt
struct Destroy {
  template <typename Handle>
  void operator()(Handle* handle) const {
    (cublaslt().*destroy)(handle);
  }
};
template <typename Handle, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<destroy>>;
using Layout = Owned<cublasLtMatrixLayout_t, &CublasLt::cublasLtMatrixLayoutDestroy>;
using Description = Owned<cublasLtMatmulDesc_t, &CublasLt::cublasLtMatmulDescDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, &CublasLt::cublasLtMatmulPreferenceDestroy>;

// All that the choice of a kernel depends on.
struct Key {
  int64_t M, N, K, a_stride, b_stride, c_stride;
  bool transpose_a, transpose_b;
  cudaDataType_t type, c_type;
  cublasComputeType_t compute;
  cublasLtEpilogue_t epilogue;
  uint32_t a_alignment, b_alignment, c_alignment;
  Batch batch;

  auto operator<=>(const Key&) const = default;
};

struct Plan {
  Description description;
  Layout a, b, c;
  cublasLtMatmulAlgo_t algorithm;
};

struct Library {
  cublasLtHandle_t handle = nullptr;                           // lives as long as the process
  std::array<std::shared_ptr<void>, cuda::kLanes> workspaces;  // a lane's
  std::map<Key, std::optional<Plan>> plans;                    // without a plan: there is no kernel
};

Library& library() {
  static Library instance = [] {
    Library created;
    int device = 0;
    cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    for (auto& workspace : created.workspaces)
      workspace = cuda::allocate(Device::cuda(device), kWorkspaceBytes);
    check_status(cublaslt().cublasLtCreate(&created.handle), "cublasLtCreate");
    return created;
  }();
  return instance;
}

template <typename Value>
void set(const Description& description, cublasLtMatmulDescAttributes_t attribute, const Value& value) {
  check_status(cublaslt().cublasLtMatmulDescSetAttribute(description.get(), attribute, &value, sizeof value),
               "cublasLtMatmulDescSetAttribute");
}
template <typename Value>
void set(const Preference& preference, cublasLtMatmulPreferenceAttributes_t attribute, const Value& value) {
  check_status(
      cublaslt().cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value, sizeof value),
      "cublasLtMatmulPreferenceSetAttribute");
}

Description describe(const Key& key) {
  cublasLtMatmulDesc_t created = nullptr;
  check_status(cublaslt().cublasLtMatmulDescCreate(&created, key.compute, CUDA_R_32F),
               "cublasLtMatmulDescCreate");
  Description description(created);
  set(description, CUBLASLT_MATMUL_DESC_TRANSA, key.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(description, CUBLASLT_MATMUL_DESC_TRANSB, key.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(description, CUBLASLT_MATMUL_DESC_EPILOGUE, key.epilogue);
  return description;
}

template <typename Value>
void set(const Layout& layout, cublasLtMatrixLayoutAttribute_t attribute, const Value& value) {
  check_status(cublaslt().cublasLtMatrixLayoutSetAttribute(layout.get(), attribute, &value, sizeof value),
               "cublasLtMatrixLayoutSetAttribute");
}

// A row-major [rows, columns], read by columns; of a batch, whose matrices are so many elements
// apart.
Layout layout(cudaDataType_t type, int64_t rows, int64_t columns, int64_t stride, int64_t count,
              int64_t apart) {
  cublasLtMatrixLayout_t created = nullptr;
  check_status(cublaslt().cublasLtMatrixLayoutCreate(&created, type, static_cast<uint64_t>(columns),
                                                     static_cast<uint64_t>(rows), stride),
               "cublasLtMatrixLayoutCreate");
  Layout layout(created);
  if (count > 1) {
    set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<int32_t>(count));
    set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, apart);
  }
  return layout;
}

Preference prefer(const Key& key) {
  cublasLtMatmulPreference_t created = nullptr;
  check_status(cublaslt().cublasLtMatmulPreferenceCreate(&created), "cublasLtMatmulPreferenceCreate");
  Preference preference(created);
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspaceBytes);
  // None, or this one: the parts of a split sum go to the workspace and are added by a kernel of
  // their own.
  set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, key.b_alignment);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, key.a_alignment);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, key.c_alignment);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, key.c_alignment);
  return preference;
}

// False: there is no kernel.
bool choose_algorithm(const Key& key, Plan& plan) {
  const Preference preference = prefer(key);
  cublasLtMatmulHeuristicResult_t result{};
  int found = 0;
  const cublasStatus_t status = cublaslt().cublasLtMatmulAlgoGetHeuristic(
      library().handle, plan.description.get(), plan.b.get(), plan.a.get(), plan.c.get(), plan.c.get(),
      preference.get(), 1, &result, &found);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return false;
  check_status(status, "cublasLtMatmulAlgoGetHeuristic");
  plan.algorithm = result.algo;
  return found > 0 && result.state == CUBLAS_STATUS_SUCCESS;
}

std::optional<Plan> make_plan(const Key& key) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  cuda::check(cudaStreamIsCapturing(cuda::stream(), &capture), "cudaStreamIsCapturing");
  XF_CHECK(capture == cudaStreamCaptureStatusNone,
           "matmul: [{}, {}] x [{}, {}] is new to a graph that is being captured; "
           "run the same step once before capturing it",
           key.M, key.K, key.K, key.N);
  const auto operand = [&](bool transpose, int64_t rows, int64_t columns, int64_t stride, int64_t apart) {
    if (transpose) std::swap(rows, columns);
    return layout(key.type, rows, columns, stride, key.batch.count, apart);
  };
  Plan plan{.description = describe(key),
            .a = operand(key.transpose_a, key.M, key.K, key.a_stride, key.batch.a_stride),
            .b = operand(key.transpose_b, key.K, key.N, key.b_stride, key.batch.b_stride),
            .c = layout(key.c_type, key.M, key.N, key.c_stride, key.batch.count, key.batch.c_stride),
            .algorithm = {}};
  if (choose_algorithm(key, plan)) return plan;
  XF_CHECK(key.epilogue != CUBLASLT_EPILOGUE_DEFAULT,
           "matmul: cuBLASLt has no kernel for [{}, {}] x [{}, {}]", key.M, key.K, key.K, key.N);
  return std::nullopt;
}

// Of all matrices of a batch, each `apart` bytes behind the one before it. Of null, which nothing
// is read from: the best.
uint32_t alignment_of(const void* pointer, size_t apart = 0) {
  const uintptr_t bits = reinterpret_cast<uintptr_t>(pointer) | apart | kBestAlignment;
  return static_cast<uint32_t>(bits & (~bits + 1));
}

template <typename T>
size_t bytes_of(int64_t elements) {
  return static_cast<size_t>(elements) * sizeof(T);
}

template <typename T>
constexpr cudaDataType_t kTypeOf = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_16BF;

template <typename T>
cublasComputeType_t compute_type() {
  return std::is_same_v<T, float> && products_are_tf32() ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

template <typename C>
cublasLtEpilogue_t name_of(const Epilogue<C>& epilogue) {
  if (epilogue.sums_of_a) return CUBLASLT_EPILOGUE_BGRADB;  // our A is the library's B
  if (!epilogue.bias) return CUBLASLT_EPILOGUE_DEFAULT;
  return epilogue.relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
}

}  // namespace

template <typename T, typename C>
bool multiply(const MatmulArgs<T, C>& args, const Epilogue<C>& epilogue, const Batch& batch) {
  const void* const vector = epilogue.bias ? epilogue.bias : epilogue.sums_of_a;
  if (alignment_of(vector) < kBestAlignment) return false;  // epilogues take it for granted
  const Key key{.M = args.M,
                .N = args.N,
                .K = args.K,
                .a_stride = args.a_stride,
                .b_stride = args.b_stride,
                .c_stride = args.c_stride,
                .transpose_a = args.transpose_a,
                .transpose_b = args.transpose_b,
                .type = kTypeOf<T>,
                .c_type = kTypeOf<C>,
                .compute = compute_type<T>(),
                .epilogue = name_of(epilogue),
                .a_alignment = alignment_of(args.a, bytes_of<T>(batch.a_stride)),
                .b_alignment = alignment_of(args.b, bytes_of<T>(batch.b_stride)),
                .c_alignment = alignment_of(args.c, bytes_of<C>(batch.c_stride)),
                .batch = batch};
  auto& plans = library().plans;
  auto place = plans.find(key);
  if (place == plans.end()) place = plans.emplace(key, make_plan(key)).first;
  if (!place->second) return false;
  const Plan& plan = *place->second;
  if (vector) set(plan.description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, vector);
  const float alpha = 1, beta = args.accumulate ? 1 : 0;
  check_status(cublaslt().cublasLtMatmul(
                   library().handle, plan.description.get(), &alpha, args.b, plan.b.get(), args.a,
                   plan.a.get(), &beta, args.c, plan.c.get(), args.c, plan.c.get(), &plan.algorithm,
                   library().workspaces[cuda::lane()].get(), kWorkspaceBytes, cuda::stream()),
               "cublasLtMatmul");
  return true;
}

template <typename T, typename C>
void matmul(Cuda backend, const MatmulArgs<T, C>& args) {
  if (args.K > 0) {
    multiply(args, Epilogue<C>{});
  } else if (!args.accumulate) {
    fill_zero(
        backend,
        RowsArgs<C>{
            .x = nullptr, .y = args.c, .N = args.M, .D = args.N, .x_stride = 0, .y_stride = args.c_stride});
  }
}

template bool multiply(const MatmulArgs<float, float>&, const Epilogue<float>&, const Batch&);
template bool multiply(const MatmulArgs<bf16, bf16>&, const Epilogue<bf16>&, const Batch&);
template bool multiply(const MatmulArgs<bf16, float>&, const Epilogue<float>&, const Batch&);
template void matmul(Cuda, const MatmulArgs<float, float>&);
template void matmul(Cuda, const MatmulArgs<bf16, bf16>&);
template void matmul(Cuda, const MatmulArgs<bf16, float>&);

}  // namespace xf::kernels
