// Expectations: the plain kernel, whose sums are whole numbers as the engine's are; a row
// calculated by hand; and the affine map that is approximated, within what the derivation allows.
#include "kernels/quantized_linear.h"

#include <cmath>
#include <limits>

#include "tests/cases/matmul.h"
#include "tests/cases/quantized_linear.h"
#include "tests/support/catch.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

Tensor random(Shape shape, uint64_t seed) { return random_tensor(shape, DType::f32, seed); }

// y [N, M], from nothing but NaN.
Tensor product(const Tensor& x, const QuantizedWeights& w, const Tensor& bias, Relu relu = Relu::no) {
  const Tensor y = poisoned({x.rows(), w.M}, DType::f32);
  quantized_linear_forward(x, w, bias, relu, y);
  return y;
}

// As columns of a wider matrix.
Tensor view_of(const Tensor& dense) {
  const int64_t width = dense.width();
  const Tensor view = poisoned({dense.rows(), width + 3}, DType::f32).slice_columns(1, width + 1);
  view.copy_from(dense);
  return view;
}

// What the fused multiply-add leaves of the scales' product and the sum as f32: three roundings of
// 2^-24 each.
constexpr double kRoundings = 4e-7;

}  // namespace

// QL1, QL2, QL3
TEST_CASE("QuantizedLinear: sums of rounded weights and activations, aligned and not, are the plain kernel's",
          "[unit]") {
  for (const auto& c : quantized_linear_cases()) {
    INFO(c.reason);
    const Tensor w = random({c.M, c.K}, 1), x = random({c.N, c.K}, 2), bias = random({c.M}, 3);
    const auto expected = quantized_linear_reference(c, as_doubles(x), as_doubles(w), as_doubles(bias));
    CHECK(max_relative_error(product(x, rounded_and_packed(w), bias), expected) < kRoundings);
    const Tensor y = view_of(poisoned({c.N, c.M}, DType::f32));
    quantized_linear_forward(view_of(x), rounded_and_packed(view_of(w)), bias, Relu::no, y);
    CHECK(max_relative_error(y, expected) < kRoundings);
  }
}

TEST_CASE("QuantizedLinear: a row calculated by hand", "[golden]") {
  // Largest 127 and 254: scales 1 and 2. p = (127, -3, 2): 2.5 goes to the even one; q = (-127, 1,
  // 64).
  const Tensor x = tensor_of({127, -3.25, 2.5}, {1, 3}, DType::f32);
  const Tensor w = tensor_of({-254, 2, 127.5}, {1, 3}, DType::f32), bias = tensor_of({0.5}, {1}, DType::f32);
  CHECK(as_doubles(product(x, rounded_and_packed(w), bias)) ==
        std::vector<double>{2 * (-127 * 127 - 3 + 2 * 64) + 0.5});
}

// QL1
TEST_CASE("QuantizedLinear: weights are rounded to the plain kernel's numbers and scales", "[unit]") {
  for (const auto& c : quantized_linear_cases()) {
    INFO(c.reason);
    const Tensor w = random({c.M, c.K}, 1);
    const Tensor values = Tensor::zeros({c.M, c.K}, DType::i8), scales = poisoned({c.M}, DType::f32);
    round_weights(view_of(w), values, scales);
    const RoundedRows expected = rounded_rows(as_doubles(w), c.M, c.K);
    CHECK(as_doubles(values) == std::vector<double>(expected.values.begin(), expected.values.end()));
    CHECK(max_relative_error(scales, expected.scales) < kRoundings);
  }
}

TEST_CASE("QuantizedLinear: weights lie in strips of outputs and quads of inputs", "[unit]") {
  const Tensor w = tensor_of({127, 1, -1, 0, -127, 2, 0, 0, 0, 0}, {2, 5}, DType::f32);
  const QuantizedWeights packed = rounded_and_packed(w);
  const auto quads = packed.quads.to_vector<int32_t>();
  REQUIRE(quads.size() == 32);
  CHECK(quads[0] == 0x00FF017F);   // 127, 1, -1, 0
  CHECK(quads[16] == 0x00000081);  // -127
  CHECK(quads[1] == 0x0000007F);   // 2 is the largest of its row
  CHECK(packed.offsets.to_vector<int32_t>()[0] == 0);
  CHECK(packed.offsets.to_vector<int32_t>()[1] == -128 * 127);
  CHECK(packed.scales.to_vector<float>()[1] == 2.0f / 127);
}

TEST_CASE("QuantizedLinear: differs from the affine map by at most what rounding by half a step allows",
          "[unit]") {
  for (const auto& c : quantized_linear_cases()) {
    INFO(c.reason);
    const Tensor w = random({c.M, c.K}, 1), x = random({c.N, c.K}, 2), bias = random({c.M}, 3);
    const auto values = as_doubles(product(x, rounded_and_packed(w), bias)), xs = as_doubles(x),
               ws = as_doubles(w);
    const RoundedRows p = rounded_rows(xs, c.N, c.K), q = rounded_rows(ws, c.M, c.K);
    double worst = 0;  // error over bound
    for (int64_t n = 0; n < c.N; ++n) {
      for (int64_t m = 0; m < c.M; ++m) {
        const double t = p.scales[static_cast<size_t>(n)], s = q.scales[static_cast<size_t>(m)];
        double exact = as_doubles(bias)[static_cast<size_t>(m)], bound = 0, magnitude = 0;
        for (int64_t k = 0; k < c.K; ++k) {
          const double a = xs[static_cast<size_t>(n * c.K + k)], b = ws[static_cast<size_t>(m * c.K + k)];
          exact += a * b;
          magnitude += std::abs(a * b);
          bound += t / 2 * std::abs(b) + s / 2 * std::abs(a) + t * s / 4;  // QL4
        }
        const double error = std::abs(values[static_cast<size_t>(n * c.M + m)] - exact);
        worst = std::max(worst, error / (bound + 1e-6 * (magnitude + 1)));
      }
    }
    CHECK(worst <= 1);
  }
}

TEST_CASE("QuantizedLinear: relu and a missing bias", "[unit]") {
  const Tensor w = random({45, 30}, 1), x = random({13, 30}, 2), bias = random({45}, 3);
  const QuantizedWeights packed = rounded_and_packed(w);
  auto expected = as_doubles(product(x, packed, bias));
  for (double& y : expected) y = std::max(y, 0.0);
  CHECK(as_doubles(product(x, packed, bias, Relu::yes)) == expected);
  CHECK(as_doubles(product(x, packed, {})) ==
        as_doubles(product(x, packed, Tensor::zeros({45}, DType::f32))));
}

TEST_CASE("QuantizedLinear: a row of zeros, or of next to nothing, leaves the bias", "[unit]") {
  const Tensor bias = tensor_of({0.25, -2}, {2}, DType::f32);
  const std::vector<double> both = {0.25, -2};
  const Tensor w = tensor_of({1, -1, 2, 3}, {2, 2}, DType::f32);
  for (const double tiny : {0.0, 1e-38, 1e-36, -1e-37})
    CHECK(as_doubles(product(tensor_of({tiny, 0}, {1, 2}, DType::f32), rounded_and_packed(w), bias)) == both);
  const Tensor x = tensor_of({1, 3}, {1, 2}, DType::f32);
  CHECK(as_doubles(product(x, rounded_and_packed(Tensor::zeros({2, 2}, DType::f32)), bias)) == both);
}

TEST_CASE("QuantizedLinear: NaN and infinity make their row NaN, with relu too, and no other row", "[unit]") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double bad : {std::nan(""), kInfinity, -kInfinity}) {
    for (const int64_t N : {int64_t{3}, int64_t{40}}) {
      auto values = random_values(N * 9, 1);
      values[9 + 4] = bad;  // row 1
      const Tensor x = tensor_of(values, {N, 9}, DType::f32);
      const auto y =
          as_doubles(product(x, rounded_and_packed(random({20, 9}, 2)), random({20}, 3), Relu::yes));
      for (size_t i = 0; i < y.size(); ++i) CHECK(std::isnan(y[i]) == (i / 20 == 1));
    }
    auto values = random_values(20 * 9, 1);
    values[9 + 4] = bad;  // output 1
    const auto y = as_doubles(
        product(random({3, 9}, 2), rounded_and_packed(tensor_of(values, {20, 9}, DType::f32)), {}));
    for (size_t i = 0; i < y.size(); ++i) CHECK(std::isnan(y[i]) == (i % 20 == 1));
  }
}

TEST_CASE("QuantizedLinear: the largest numbers of the longest row do not overflow", "[unit]") {
  const int64_t K = kMostQuantizedInputs;
  for (const double sign : {1.0, -1.0}) {
    const Tensor x = tensor_of(std::vector<double>(static_cast<size_t>(K), sign), {1, K}, DType::f32);
    const Tensor w = tensor_of(std::vector<double>(static_cast<size_t>(K), 1), {1, K}, DType::f32);
    const double y = as_doubles(product(x, rounded_and_packed(w), {}))[0];
    CHECK(y == Approx(sign * static_cast<double>(K)).epsilon(1e-6));
  }
}

TEST_CASE("QuantizedLinear: a row has the same bits wherever it lies, and at any number of threads",
          "[unit]") {
  const Tensor w = random({1000, 600}, 1), x = random({70, 600}, 2), bias = random({1000}, 3);
  CHECK(same_bits_at_any_thread_count([&] {
    const QuantizedWeights packed = rounded_and_packed(w);
    return std::vector<Tensor>{packed.quads, product(x, packed, bias),
                               product(x.slice_rows(0, 3), packed, bias)};
  }));
  const QuantizedWeights packed = rounded_and_packed(w);
  const Tensor all = product(x, packed, bias);
  for (const int64_t count : {1, 2, 3, 4, 5, 6, 7, 8, 31})
    CHECK(same_bits(product(x.slice_rows(9, 9 + count), packed, bias), all.slice_rows(9, 9 + count)));
}

#if XF_AVX512_LEVEL
TEST_CASE("QuantizedLinear: the same bits at both levels of the processor", "[unit]") {
  if (usable_cpu_levels().back() != CpuLevel::avx512) {
    std::puts("[skipped] this processor has no AVX-512");
    return;
  }
  for (const auto& c : quantized_linear_cases()) {
    INFO(c.reason);
    const Tensor x = random({c.N, c.K}, 2), bias = random({c.M}, 3);
    const QuantizedWeights w = rounded_and_packed(random({c.M, c.K}, 1));
    const Tensor first = poisoned({c.N, c.M}, DType::f32), second = poisoned({c.N, c.M}, DType::f32);
    const auto args = [&](const Tensor& y) { return quantized_linear_args(x, w, bias, Relu::yes, y); };
    quantized_linear_forward(Cpu<CpuLevel::baseline>{}, args(first));
    quantized_linear_forward(Cpu<CpuLevel::avx512>{}, args(second));
    CHECK(same_bits(first, second));
  }
}
#endif

TEST_CASE("QuantizedLinear: nothing at all", "[unit]") {
  const QuantizedWeights w = rounded_and_packed(random({5, 3}, 1));
  CHECK_NOTHROW(product(Tensor::empty({0, 3}, DType::f32), w, {}));
}

TEST_CASE("QuantizedLinear: rows of no numbers leave the bias, whoever divides the work", "[unit]") {
  const QuantizedWeights w = rounded_and_packed(Tensor::empty({5, 0}, DType::f32));
  const Tensor bias = random({5}, 3);
  for (const int64_t N : {int64_t{2}, int64_t{4000}}) {
    const Tensor y = product(Tensor::empty({N, 0}, DType::f32), w, bias);
    CHECK(same_bits(y.slice_rows(N - 1, N).reshape({5}), bias));
  }
}

TEST_CASE("QuantizedLinear: refuses other shapes and types", "[unit]") {
  const QuantizedWeights w = rounded_and_packed(random({5, 3}, 1));
  const Tensor x = random({2, 3}, 2), bias = random({5}, 3), y = poisoned({2, 5}, DType::f32);
  CHECK_NOTHROW(quantized_linear_forward(x, w, bias, Relu::no, y));
  CHECK_THROWS_AS(quantized_linear_forward(y, w, bias, Relu::no, y), Error);
  CHECK_THROWS_AS(quantized_linear_forward(x, w, x, Relu::no, y), Error);
  CHECK_THROWS_AS(quantized_linear_forward(x, w, bias, Relu::no, x), Error);
  CHECK_THROWS_AS(quantized_linear_forward(x, {}, bias, Relu::no, y), Error);
  CHECK_THROWS_AS(quantized_linear_forward(random_tensor({2, 3}, DType::f64, 1), w, bias, Relu::no, y),
                  Error);
  CHECK_THROWS_AS(rounded_and_packed(random_tensor({2, 3}, DType::f64, 1)), Error);
  const Tensor values = Tensor::zeros({5, 3}, DType::i8), scales = Tensor::zeros({5}, DType::f32);
  CHECK_NOTHROW(pack_weights(values, scales, w));
  CHECK_THROWS_AS(pack_weights(x, scales, w), Error);
  CHECK_THROWS_AS(pack_weights(values, Tensor::zeros({4}, DType::f32), w), Error);
  CHECK_THROWS_AS(round_weights(x, values, scales), Error);
  CHECK_THROWS_AS(rounded_and_packed(Tensor::empty({1, kMostQuantizedInputs + 1}, DType::f32)), Error);
}
