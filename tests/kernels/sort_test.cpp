// Expectation: sorting by (key, position), which has one answer only (tests/cases/sort.h).
#include "kernels/sort.h"

#include "tests/cases/sort.h"
#include "tests/support/catch.h"
#include "tests/support/targets.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

// Outputs start as -1, which is no position.
Tensor unset(int64_t count) {
  return Tensor::from(std::vector<int32_t>(static_cast<size_t>(count), -1)).to(test_device());
}

}  // namespace

TEST_CASE("Sort: keys come out in order, equal ones as they came", "[unit][device]") {
  for (const auto& c : sort_cases()) {
    INFO(c.reason);
    const auto expected = sort_reference(c.keys);
    const auto N = static_cast<int64_t>(c.keys.size());
    const Tensor keys = Tensor::from(c.keys).to(test_device()), sorted = unset(N), order = unset(N);
    sort(keys, sorted, order);
    CHECK(sorted.to_vector<int32_t>() == expected.sorted);
    CHECK(order.to_vector<int32_t>() == expected.order);
    CHECK(keys.to_vector<int32_t>() == c.keys);
  }
}

TEST_CASE("Sort: without keys there is nothing to do", "[unit][device]") {
  CHECK_NOTHROW(sort(unset(0), unset(0), unset(0)));
}

TEST_CASE("Sort: refuses other sizes and types", "[unit]") {
  const Tensor keys = Tensor::from(std::vector<int32_t>{3, 1, 2}), three = Tensor::zeros({3}, DType::i32);
  CHECK_THROWS_AS(sort(keys, three, Tensor::zeros({2}, DType::i32)), Error);
  CHECK_THROWS_AS(sort(keys, Tensor::zeros({4}, DType::i32), three), Error);
  CHECK_THROWS_AS(sort(keys, Tensor::zeros({3}, DType::f32), three), Error);
  CHECK_THROWS_AS(sort(Tensor::zeros({3}, DType::f32), three, three), Error);
}
