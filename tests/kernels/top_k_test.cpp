// Expectation: sorting the whole row in f64 (tests/cases/top_k.h).
#include "kernels/top_k.h"

#include <catch2/catch.hpp>

#include "tests/cases/top_k.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

Tensor no_ids(int64_t N, int64_t K) {
  return Tensor::from(std::vector<int32_t>(static_cast<size_t>(N * K), -1), {N, K});
}
Tensor banned_of(const TopKCase& c) { return c.banned.empty() ? Tensor() : Tensor::from(c.banned); }

}  // namespace

TEST_CASE("TopK: scores and ids agree with sorting the row, ties go to the smaller id", "[unit]") {
  for (const auto& c : top_k_cases()) {
    for (const bool ties : {false, true}) {
      INFO(c.reason << (ties ? ", with ties" : ""));
      auto z = random_values(c.N * c.V, 1, -3, 3);
      if (ties) std::transform(z.begin(), z.end(), z.begin(), [](double value) { return std::floor(value); });
      const auto expected = top_k_reference(c, z);
      for (const DType dtype : {DType::f32, DType::f64}) {
        const Tensor scores = poisoned({c.N, c.K}, dtype), ids = no_ids(c.N, c.K);
        log_softmax_top_k(tensor_of(z, {c.N, c.V}, dtype), banned_of(c), scores, ids);
        CHECK(max_relative_error(scores, expected.scores) < tolerance(dtype));
        CHECK(as_doubles(ids) == expected.ids);
      }
    }
  }
}

TEST_CASE("TopK: rows in falling order, the best case, and rising order, the worst, are found alike",
          "[unit]") {
  std::vector<double> z(300);
  for (size_t v = 0; v < 300; ++v) z[v] = static_cast<double>(v) / 64;
  const Tensor scores = poisoned({1, 3}, DType::f32), ids = no_ids(1, 3);
  log_softmax_top_k(tensor_of(z, {1, 300}, DType::f32), {}, scores, ids);
  CHECK(as_doubles(ids) == std::vector<double>{299, 298, 297});
  std::reverse(z.begin(), z.end());
  log_softmax_top_k(tensor_of(z, {1, 300}, DType::f32), {}, scores, ids);
  CHECK(as_doubles(ids) == std::vector<double>{0, 1, 2});
}

TEST_CASE("TopK: the same bits at any thread count", "[unit]") {
  const Tensor z = random_tensor({64, 4099}, DType::f32, 1);
  CHECK(same_bits_at_any_thread_count([&] {
    const Tensor scores = poisoned({64, 5}, DType::f32), ids = no_ids(64, 5);
    log_softmax_top_k(z, {}, scores, ids);
    return std::vector<Tensor>{scores, ids};
  }));
}

TEST_CASE("TopK: refuses more than there is to choose from, and outputs of another shape", "[unit]") {
  const Tensor z = random_tensor({2, 5}, DType::f32, 1), banned = Tensor::from(std::vector<int32_t>{0});
  CHECK_THROWS_AS(log_softmax_top_k(z, {}, poisoned({2, 6}, DType::f32), no_ids(2, 6)), Error);
  CHECK_THROWS_AS(log_softmax_top_k(z, banned, poisoned({2, 5}, DType::f32), no_ids(2, 5)), Error);
  CHECK_THROWS_AS(log_softmax_top_k(z, {}, poisoned({2, 3}, DType::f32), no_ids(2, 4)), Error);
  CHECK_THROWS_AS(log_softmax_top_k(z, {}, poisoned({2, 3}, DType::f64), no_ids(2, 3)), Error);
}
