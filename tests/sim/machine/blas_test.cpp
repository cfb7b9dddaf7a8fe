// The software cuBLASLt against sums in f64 straight from the definitions in its manual, and what
// it must refuse.
#include <cublasLt.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/dtype.h"
#include "core/error.h"
#include "tests/sim/machine/support.h"
#include "tests/support/catch.h"

namespace xf::sim {

namespace {

float rounded(float x, bool bf) { return bf ? static_cast<float>(bf16(x)) : x; }

// A column-major matrix of either type, on the device, its leading dimension larger than its rows.
struct Matrix {
  Matrix(int64_t rows_, int64_t columns_, bool bf_, int step)
      : rows(rows_), columns(columns_), ld(rows_ + 3), bf(bf_) {
    for (int64_t i = 0; i < ld * columns; ++i) {
      host.push_back(rounded(static_cast<float>(i * step % 23 - 11) / 16.0f, bf));
      halves.push_back(bf16(host.back()).bits);
    }
    bytes = host.size() * (bf ? 2 : 4);
    cudaMalloc(&data, bytes);
    cudaMemcpy(data, bf ? static_cast<const void*>(halves.data()) : host.data(), bytes,
               cudaMemcpyHostToDevice);
    cublasLtMatrixLayoutCreate(&layout, bf ? CUDA_R_16BF : CUDA_R_32F, static_cast<uint64_t>(rows),
                               static_cast<uint64_t>(columns), ld);
  }
  ~Matrix() {
    cublasLtMatrixLayoutDestroy(layout);
    cudaFree(data);
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  double at(int64_t i, int64_t j) const { return host[static_cast<size_t>(j * ld + i)]; }
  std::vector<float> read() const {
    std::vector<float> out(host.size());
    if (!bf) {
      cudaMemcpy(out.data(), data, bytes, cudaMemcpyDeviceToHost);
      return out;
    }
    std::vector<uint16_t> bits(host.size());
    cudaMemcpy(bits.data(), data, bytes, cudaMemcpyDeviceToHost);
    std::transform(bits.begin(), bits.end(), out.begin(),
                   [](uint16_t b) { return std::bit_cast<float>(static_cast<uint32_t>(b) << 16); });
    return out;
  }

  int64_t rows, columns, ld;
  bool bf;
  size_t bytes = 0;
  void* data = nullptr;
  cublasLtMatrixLayout_t layout = nullptr;
  std::vector<float> host;
  std::vector<uint16_t> halves;
};

struct Call {
  Call(bool ta, bool tb, cublasLtEpilogue_t epilogue, cublasComputeType_t compute = CUBLAS_COMPUTE_32F) {
    cublasLtCreate(&handle);
    cublasLtMatmulDescCreate(&descriptor, compute, CUDA_R_32F);
    const cublasOperation_t a = ta ? CUBLAS_OP_T : CUBLAS_OP_N, b = tb ? CUBLAS_OP_T : CUBLAS_OP_N;
    set(CUBLASLT_MATMUL_DESC_TRANSA, a);
    set(CUBLASLT_MATMUL_DESC_TRANSB, b);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
  }
  ~Call() {
    cublasLtMatmulDescDestroy(descriptor);
    cublasLtDestroy(handle);
  }
  template <typename T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) {
    REQUIRE(cublasLtMatmulDescSetAttribute(descriptor, attribute, &value, sizeof value) ==
            CUBLAS_STATUS_SUCCESS);
  }
  int algorithms(const Matrix& a, const Matrix& b, const Matrix& d) const {
    cublasLtMatmulPreference_t preference = nullptr;
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulHeuristicResult_t result;
    int found = 0;
    cublasLtMatmulAlgoGetHeuristic(handle, descriptor, a.layout, b.layout, d.layout, d.layout, preference, 1,
                                   &result, &found);
    cublasLtMatmulPreferenceDestroy(preference);
    return found;
  }
  void run(const Matrix& a, const Matrix& b, const Matrix& d, float alpha, float beta) const {
    const cublasStatus_t status =
        cublasLtMatmul(handle, descriptor, &alpha, a.data, a.layout, b.data, b.layout, &beta, d.data,
                       d.layout, d.data, d.layout, nullptr, nullptr, 0, nullptr);
    REQUIRE(status == CUBLAS_STATUS_SUCCESS);
  }
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t descriptor = nullptr;
};

double product(const Matrix& a, bool ta, const Matrix& b, bool tb, int64_t i, int64_t j, int64_t k) {
  double sum = 0;
  for (int64_t p = 0; p < k; ++p) sum += (ta ? a.at(p, i) : a.at(i, p)) * (tb ? b.at(j, p) : b.at(p, j));
  return sum;
}

constexpr int64_t kM = 37, kN = 11, kK = 29;

}  // namespace

TEST_CASE("cuBLASLt: every transpose, dtype and beta is the product by definition", "[unit]") {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      for (const auto& [bf_in, bf_out] : {std::pair{false, false}, {true, true}, {true, false}}) {
        const Matrix a(ta ? kK : kM, ta ? kM : kK, bf_in, 5), b(tb ? kN : kK, tb ? kK : kN, bf_in, 7);
        const Matrix d(kM, kN, bf_out, 3);
        const Call call(ta, tb, CUBLASLT_EPILOGUE_DEFAULT);
        CHECK(call.algorithms(a, b, d) == 1);
        call.run(a, b, d, 0.5f, 2.0f);
        const std::vector<float> out = d.read();
        for (int64_t j = 0; j < kN; ++j) {
          for (int64_t i = 0; i < kM; ++i) {
            const double want = 0.5 * product(a, ta, b, tb, i, j, kK) + 2 * d.at(i, j);
            REQUIRE(out[static_cast<size_t>(j * d.ld + i)] ==
                    Approx(want).margin(1e-5).epsilon(bf_out ? 0.005 : 1e-5));
          }
          for (int64_t i = kM; i < d.ld; ++i) {  // between the columns nothing is touched
            REQUIRE(out[static_cast<size_t>(j * d.ld + i)] == d.host[static_cast<size_t>(j * d.ld + i)]);
          }
        }
      }
    }
  }
}

TEST_CASE("cuBLASLt: bias and ReLU with its mask, and their gradients", "[unit]") {
  const Matrix a(kM, kK, false, 5), b(kK, kN, false, 7), d(kM, kN, false, 3), bias(kM, 1, false, 13);
  const DeviceArray<uint8_t> mask(128 * kN / 8);
  Call forward(false, false, CUBLASLT_EPILOGUE_RELU_AUX_BIAS);
  forward.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.data);
  forward.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, mask.data());
  forward.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t{128});
  forward.run(a, b, d, 1, 0);
  const std::vector<float> y = d.read();
  const Matrix dbias(kM, 1, false, 1);
  Call backward(false, false, CUBLASLT_EPILOGUE_DRELU_BGRAD);
  backward.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, dbias.data);
  backward.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, mask.data());
  backward.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t{128});
  backward.run(a, b, d, 1, 0);
  const std::vector<float> dx = d.read(), sums = dbias.read();
  for (int64_t i = 0; i < kM; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < kN; ++j) {
      const double p = product(a, false, b, false, i, j, kK), x = p + bias.at(i, 0);
      const auto at = static_cast<size_t>(j * d.ld + i);
      REQUIRE(y[at] == Approx(std::max(x, 0.0)).margin(1e-5));
      REQUIRE(dx[at] == Approx(x > 0 ? p : 0.0).margin(1e-5));
      sum += x > 0 ? p : 0.0;
    }
    REQUIRE(sums[static_cast<size_t>(i)] == Approx(sum).margin(1e-4));
  }
}

TEST_CASE("cuBLASLt: GELU keeps its input, and the gradient is its derivative", "[unit]") {
  const Matrix a(kM, kK, false, 5), b(kK, kN, false, 7), d(kM, kN, false, 3), bias(kM, 1, false, 13);
  constexpr int64_t kLd = 40;
  const DeviceArray<float> input(kLd * kN);
  const auto gelu = [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  };
  for (const auto epilogue : {CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_DGELU}) {
    Call call(false, false, epilogue);
    call.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.data);
    call.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, input.data());
    call.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, kLd);
    call.run(a, b, d, 1, 0);
    const std::vector<float> out = d.read();
    for (int64_t j = 0; j < kN; ++j) {
      for (int64_t i = 0; i < kM; ++i) {
        const double p = product(a, false, b, false, i, j, kK), x = p + bias.at(i, 0), h = 1e-5;
        const double want =
            epilogue == CUBLASLT_EPILOGUE_DGELU ? p * (gelu(x + h) - gelu(x - h)) / (2 * h) : gelu(x);
        REQUIRE(out[static_cast<size_t>(j * d.ld + i)] == Approx(want).margin(1e-4));
      }
    }
  }
}

TEST_CASE("cuBLASLt: BGRADA sums op(a) over k, BGRADB op(b)", "[unit]") {
  for (const bool transpose : {false, true}) {
    const Matrix a(transpose ? kK : kM, transpose ? kM : kK, false, 5);
    const Matrix b(transpose ? kN : kK, transpose ? kK : kN, false, 7), d(kM, kN, false, 3);
    for (const auto epilogue : {CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB}) {
      const bool of_a = epilogue == CUBLASLT_EPILOGUE_BGRADA;
      const Matrix sums(of_a ? kM : kN, 1, false, 1);
      Call call(transpose, transpose, epilogue);
      call.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, sums.data);
      call.run(a, b, d, 1, 0);
      const std::vector<float> out = sums.read();
      for (int64_t i = 0; i < sums.rows; ++i) {
        double want = 0;
        for (int64_t k = 0; k < kK; ++k)
          want += of_a == transpose ? (of_a ? a : b).at(k, i) : (of_a ? a : b).at(i, k);
        REQUIRE(out[static_cast<size_t>(i)] == Approx(want).margin(1e-5));
      }
    }
  }
}

TEST_CASE("cuBLASLt: what the library refuses is refused", "[unit]") {
  const Matrix a(kM, kK, false, 5), b(kK, kN, false, 7), d(kM, kN, false, 3), half(kM, kN, true, 3);
  const Call plain(false, false, CUBLASLT_EPILOGUE_DEFAULT);
  const int64_t short_ld = kM - 1;
  cublasLtMatrixLayoutSetAttribute(half.layout, CUBLASLT_MATRIX_LAYOUT_LD, &short_ld, sizeof short_ld);
  // leading dimension
  CHECK(plain.algorithms(a, b, half) == 0);
  CHECK(plain.algorithms(a, b, Matrix(kM, kN, true, 3)) == 0);                   // f32 into bf16
  CHECK(plain.algorithms(a, a, d) == 0);                                         // shapes
  CHECK(Call(true, false, CUBLASLT_EPILOGUE_DEFAULT).algorithms(a, b, d) == 0);  // shapes
  Call mask(false, false, CUBLASLT_EPILOGUE_RELU_AUX);
  mask.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t{64});
  CHECK(mask.algorithms(a, b, d) == 0);  // 128 divides a mask's leading dimension
  Call bias(false, false, CUBLASLT_EPILOGUE_BIAS);
  const DeviceArray<float> vector(kM + 1);
  bias.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, vector.data() + 1);
  CHECK_THROWS_WITH(bias.run(a, b, d, 1, 0), Catch::Contains("the bias is not aligned to 16 bytes"));
  const Matrix beyond(kM, kN + 1, false, 3);
  CHECK_THROWS_AS(plain.run(a, b, beyond, 1, 0), Error);
}

TEST_CASE("cuBLASLt: TF32 rounds the operands to ten bits", "[unit]") {
  Matrix a(1, 1, false, 1), b(1, 1, false, 1), d(1, 1, false, 1);
  const float x = 1 + 0x1p-11f + 0x1p-12f, one = 1;
  for (const Matrix* matrix : {&a, &b}) {
    cudaMemcpy(matrix->data, matrix == &a ? &x : &one, sizeof x, cudaMemcpyHostToDevice);
  }
  const Call call(false, false, CUBLASLT_EPILOGUE_DEFAULT, CUBLAS_COMPUTE_32F_FAST_TF32);
  call.run(a, b, d, 1, 0);
  CHECK(d.read()[0] == 1 + 0x1p-10f);
}

}  // namespace xf::sim
