// In what two models differ. As users see it: tests/e2e/export.sh.
#include "tools/formats/diff_models.h"

#include <cmath>
#include <limits>

#include "tests/support/catch.h"

using namespace xf;
using namespace xf::tools;

namespace {

Tensor vector(const std::vector<float>& values) { return Tensor::from(values); }

}  // namespace

TEST_CASE("Differences: by how much, in which shape, and in which model alone", "[unit]") {
  const nn::TensorMap a = {{"alone", vector({1})},
                           {"moved", vector({3, 0, 4})},
                           {"same", vector({1, -0.0f, NAN})},
                           {"shape", vector({1, 2})}};
  const nn::TensorMap b = {{"moved", vector({3, 0.5f, 4})},
                           {"other", vector({1})},
                           {"same", vector({1, 0.0f, NAN})},
                           {"shape", vector({1, 2, 3})}};
  const auto found = tensor_differences(a, b, 0);
  REQUIRE(found.size() == 4);
  CHECK(found[0].name == "alone");
  CHECK(found[0].b.empty());
  CHECK(found[1].name == "moved");
  CHECK(found[1].largest == 0.5);
  CHECK(found[1].relative.value() == Approx(0.1));  // 0.5 / |(3, 0, 4)|
  CHECK(found[2].name == "other");
  CHECK(found[2].a.empty());
  CHECK(found[3].a == "f32 [2]");
  CHECK(found[3].b == "f32 [3]");
  CHECK_FALSE(found[3].largest.has_value());
  CHECK_FALSE(found[0].relative.has_value());
  CHECK(tensor_differences(a, b, 0.5).size() == 3);
  CHECK(tensor_differences(a, a, 0).empty());
}

TEST_CASE("Differences: a NaN is none of any number", "[unit]") {
  const auto found = tensor_differences({{"x", vector({1, 2, 3})}}, {{"x", vector({1, NAN, 4})}}, 1e30);
  REQUIRE(found.size() == 1);
  CHECK(std::isnan(found[0].largest.value()));
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(tensor_differences({{"x", vector({infinity})}}, {{"x", vector({infinity})}}, 0).empty());
  CHECK(tensor_differences({{"x", vector({infinity})}}, {{"x", vector({1})}}, 1e30).size() == 1);
}
