// The teaching kernel, where there is CUDA. Expectation: the triple loop in f64 (tests/cases/matmul.h).
#if XF_CUDA

#include "kernels/cuda/matmul_tiled.h"
#include "tests/cases/matmul.h"
#include "tests/support/catch.h"
#include "tests/support/targets.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

std::vector<MatmulCase> tiled_cases() {
  auto cases = matmul_cases();
  cases.push_back({"whole tiles, several stages", 128, 256, 192});
  cases.push_back({"edges of tiles, rows of whole 16 bytes", 129, 130, 72});
  return cases;
}

template <typename T>
void run_tiled(const Tensor& a, const Tensor& b, Out c) {
  matmul_tiled(MatmulArgs<T>{.a = a.data<T>(),
                             .b = b.data<T>(),
                             .c = c.data<T>(),
                             .M = a.rows(),
                             .N = b.rows(),
                             .K = a.width(),
                             .a_stride = a.row_stride(),
                             .b_stride = b.row_stride(),
                             .c_stride = c.row_stride(),
                             .transpose_a = false,
                             .transpose_b = true,
                             .accumulate = false});
}
void run_tiled(const Tensor& a, const Tensor& b, Out c) {
  return a.dtype() == DType::f32 ? run_tiled<float>(a, b, c) : run_tiled<bf16>(a, b, c);
}

// A tensor of its own, or some columns of a NaN-filled wider one, which start at a multiple of nothing.
Tensor place(const Target& t, Shape shape, bool view) {
  if (!view) return t.poisoned(shape);
  return t.poisoned({shape.rows(), shape.width() + 4}).slice_columns(1, shape.width() + 1);
}
Tensor random_in_place(const Target& t, Shape shape, uint64_t seed, bool view) {
  const Tensor tensor = place(t, shape, view);
  tensor.copy_from(t.random(shape, seed).to(Device::cpu()));
  return tensor;
}

}  // namespace

TEST_CASE("Matmul, tiled: agrees with the definition at any size, aligned and not", "[unit][device]") {
  for (const Target& t : targets()) {
    if (t.device == Device::cpu()) continue;
    for (const auto& c : tiled_cases()) {
      for (const bool view : {false, true}) {
        INFO(c.reason << ", " << name_of(t) << (view ? ", views" : ""));
        const Tensor a = random_in_place(t, {c.M, c.K}, 1, view), b = random_in_place(t, {c.N, c.K}, 2, view);
        const Tensor out = place(t, {c.M, c.N}, view);
        run_tiled(a, b, out);
        const std::vector<double> zero(static_cast<size_t>(c.M * c.N), 0.0);
        CHECK(max_relative_error(out, matmul_reference(c, as_doubles(a), false, as_doubles(b), true, zero)) <
              t.forward_tolerance());
      }
    }
  }
}

TEST_CASE("Matmul, tiled: writes nothing outside of a view, and the same bits twice", "[unit][device]") {
  for (const Target& t : targets()) {
    if (t.device == Device::cpu()) continue;
    INFO(name_of(t));
    const Tensor a = t.random({33, 40}, 1), b = t.random({31, 40}, 2);
    const Tensor wide = t.tensor(std::vector<double>(33 * 39, 7.0), {33, 39}), again = t.poisoned({33, 31});
    run_tiled(a, b, wide.slice_columns(4, 35));
    run_tiled(a, b, again);
    for (const auto& side : {wide.slice_columns(0, 4), wide.slice_columns(35, 39)}) {
      CHECK(as_doubles(side) == std::vector<double>(33 * 4, 7.0));
    }
    CHECK(same_bits(wide.slice_columns(4, 35), again));
  }
}

TEST_CASE("Matmul, tiled: refuses what it does not compute", "[unit][device]") {
  for (const Target& t : targets()) {
    if (t.device == Device::cpu() || t.dtype != DType::f32) continue;
    CHECK_THROWS_AS(matmul_tiled(MatmulArgs<float>{}), Error);
  }
}
#endif
