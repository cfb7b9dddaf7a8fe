// Expectation: the triple loop in f64 over the inputs as they lie there (tests/cases/matmul.h).
#include "kernels/matmul.h"

#include "core/parallel.h"
#include "tests/cases/matmul.h"
#include "tests/support/catch.h"
#include "tests/support/targets.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

// A tensor of its own, or the columns 2 .. width+1 of a NaN-filled wider matrix: rows that are
// aligned to nothing, and neighbours that must be neither read nor written.
Tensor place(const Target& t, Shape shape, DType dtype, bool view) {
  const int64_t width = shape.width();
  if (!view) return poisoned(shape, dtype, t.device);
  return poisoned({shape.rows(), width + 5}, dtype, t.device).slice_columns(2, width + 2);
}
Tensor place(const Target& t, const std::vector<double>& values, Shape shape, DType dtype, bool view) {
  const Tensor tensor = place(t, shape, dtype, view);
  tensor.copy_from(tensor_of(values, shape, dtype));
  return tensor;
}

// One product of every transpose, written and accumulated, into C of the given type.
void check_products(const Target& t, const MatmulCase& c, DType c_dtype, bool view) {
  for (int mode = 0; mode < 8; ++mode) {
    const bool ta = mode & 1, tb = mode & 2, accumulate = mode & 4;
    INFO(c.reason << ", " << name_of(t) << " into " << xf::name_of(c_dtype) << ", transposes " << ta << tb
                  << ", accumulate " << accumulate << (view ? ", views" : ""));
    const Shape a_shape = ta ? Shape{c.K, c.M} : Shape{c.M, c.K},
                b_shape = tb ? Shape{c.N, c.K} : Shape{c.K, c.N};
    const Tensor a = place(t, random_values(c.M * c.K, 1), a_shape, t.dtype, view);
    const Tensor b = place(t, random_values(c.K * c.N, 2), b_shape, t.dtype, view);
    const Tensor out = accumulate ? place(t, random_values(c.M * c.N, 3), {c.M, c.N}, c_dtype, view)
                                  : place(t, {c.M, c.N}, c_dtype, view);
    const auto start =
        accumulate ? as_doubles(out) : std::vector<double>(static_cast<size_t>(c.M * c.N), 0.0);
    const auto expected = matmul_reference(c, as_doubles(a), ta, as_doubles(b), tb, start);
    matmul(a, ta ? Transpose::yes : Transpose::no, b, tb ? Transpose::yes : Transpose::no,
           accumulate ? Accumulate::yes : Accumulate::no, out);
    // On CUDA what is added to a bf16 C may be rounded before: the errors of cuBLASLt 13.1 on an
    // H200 are as large.
    const bool twice = accumulate && c_dtype == DType::bf16 && t.device.type == DeviceType::cuda;
    const int roundings = twice ? 2 : 1;
    CHECK(max_relative_error(out, expected) < roundings * tolerance(c_dtype));
  }
}

}  // namespace

// MM1
TEST_CASE("Matmul: all transposes, written and accumulated, aligned and not, agree with the definition",
          "[unit][device]") {
  for (const Target& t : targets()) {
    for (const auto& c : matmul_cases()) {
      for (const bool view : {false, true}) check_products(t, c, t.dtype, view);
    }
  }
}

TEST_CASE("Matmul: C may be of the accumulator's type, as the gradient of a bf16 weight is",
          "[unit][device]") {
  for (const Target& t : targets()) {
    for (const auto& c : matmul_cases()) {
      for (const bool view : {false, true}) check_products(t, c, t.accumulator(), view);
    }
  }
}

TEST_CASE("Matmul: products of bf16 that several threads share agree with the definition", "[unit]") {
  const Target bf16_on_cpu{Device::cpu(), DType::bf16};
  const int threads_before = thread_count();
  set_thread_count(3);
  for (const DType c_dtype : {DType::bf16, DType::f32})
    for (const MatmulCase& c : {MatmulCase{"rows for several threads", 701, 67, 130},
                                MatmulCase{"several blocks of each dimension", 259, 291, 1101},
                                MatmulCase{"more columns than rows", 71, 500, 64}}) {
      check_products(bf16_on_cpu, c, c_dtype, true);
      check_products(bf16_on_cpu, c, c_dtype, false);
    }
  set_thread_count(threads_before);
}

TEST_CASE("Matmul: the gradient of a wide layer's weights agrees with the definition", "[unit]") {
  for (const bool view : {false, true})
    check_products({Device::cpu(), DType::f32}, {"wide, and many terms", 1030, 21, 2050}, DType::f32, view);
}

TEST_CASE("Matmul: writes nothing outside of a view", "[unit][device]") {
  for (const Target& t : targets()) {
    INFO(name_of(t));
    const Tensor wide = t.tensor(std::vector<double>(4 * 9, 7.0), {4, 9});
    for (const int64_t K : {3, 0}) {
      matmul(t.random({4, K}, 1), Transpose::no, t.random({K, 5}, 2), Transpose::no, Accumulate::no,
             wide.slice_columns(2, 7));
      for (const auto& side : {wide.slice_columns(0, 2), wide.slice_columns(7, 9)}) {
        CHECK(as_doubles(side) == std::vector<double>(8, 7.0));
      }
    }
  }
}

TEST_CASE("Matmul: the same bits twice, wherever the operands lie", "[unit][device]") {
  for (const Target& t : targets()) {
    INFO(name_of(t));
    const auto run = [&] {
      const Tensor c = t.poisoned({129, 127});
      matmul(t.random({129, 65}, 1), Transpose::no, t.random({127, 65}, 2), Transpose::yes, Accumulate::no,
             c);
      return c;
    };
    const Tensor first = run();
    CHECK(same_bits(first, run()));
  }
}

// With a mantissa of ten bits, which of the two products differ, and by how much, is known: 2^-11
// of each operand.
TEST_CASE("Matmul: TF32 is for CUDA's products of f32, and where it was asked for", "[unit][device]") {
  for (const Target& t : targets()) {
    INFO(name_of(t));
    const MatmulCase c{"rows of whole packs", 33, 40, 64};
    const Tensor a = t.random({c.M, c.K}, 1), b = t.random({c.K, c.N}, 2);
    const auto product = [&](bool tf32) {
      const Tensor out = t.poisoned({c.M, c.N});
      round_products_to_tf32(tf32);
      matmul(a, Transpose::no, b, Transpose::no, Accumulate::no, out);
      round_products_to_tf32(false);
      return out;
    };
    const Tensor full = product(false), rounded = product(true);
    const bool rounds = t.device.type == DeviceType::cuda && t.dtype == DType::f32;
    CHECK(same_bits(full, rounded) == !rounds);
    CHECK(same_bits(full, product(false)));
    const auto expected = matmul_reference(c, as_doubles(a), false, as_doubles(b), false,
                                           std::vector<double>(static_cast<size_t>(c.M * c.N), 0.0));
    CHECK(max_relative_error(rounded, expected) < (rounds ? 0x1p-10 : tolerance(t.dtype)));
  }
}

TEST_CASE("Matmul: f64 gives the same bits at one and two threads", "[unit]") {
  const auto run = [&](int threads) {
    set_thread_count(threads);
    const Tensor c = poisoned({129, 127}, DType::f64);
    matmul(random_tensor({129, 65}, DType::f64, 1), Transpose::no, random_tensor({127, 65}, DType::f64, 2),
           Transpose::yes, Accumulate::no, c);
    set_thread_count(0);
    return c;
  };
  CHECK(same_bits(run(1), run(2)));
}

TEST_CASE("Matmul: empty results are left alone", "[unit][device]") {
  for (const Target& t : targets()) {
    CHECK_NOTHROW(matmul(t.random({0, 3}, 1), Transpose::no, t.random({3, 5}, 1), Transpose::no,
                         Accumulate::no, t.poisoned({0, 5})));
  }
}

TEST_CASE("Matmul: refuses sizes and types that do not fit together", "[unit]") {
  const Tensor a = random_tensor({4, 3}, DType::f32, 1), b = random_tensor({3, 5}, DType::f32, 2);
  const Tensor c = poisoned({4, 5}, DType::f32);
  CHECK_THROWS_AS(matmul(a, Transpose::yes, b, Transpose::no, Accumulate::no, c), Error);
  CHECK_THROWS_AS(matmul(a, Transpose::no, b, Transpose::yes, Accumulate::no, c), Error);
  CHECK_THROWS_AS(matmul(a, Transpose::no, b, Transpose::no, Accumulate::no, poisoned({5, 4}, DType::f32)),
                  Error);
  CHECK_THROWS_AS(matmul(a, Transpose::no, b, Transpose::no, Accumulate::no, poisoned({4, 5}, DType::f64)),
                  Error);
}
