// The position table of the padded model: numbers calculated by hand.
#include "nn/quirks/embedding.h"

#include "tests/support/catch.h"
#include "tests/support/compare.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

using Values = std::vector<double>;

void check_near(const Values& actual, const Values& expected, double margin = 5e-7) {
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == Approx(expected[i]).margin(margin));
}

}  // namespace

TEST_CASE("Quirks: positions with the correct exponent and with the doubled one", "[golden]") {
  // By hand: sin 1, cos 1, then 1 / 10000^(1/3), 1 / 10000^(2/3); doubled: 1 / 10000^(2/3), 1 / 10000^(4/3).
  const auto row1 = [](quirks::PositionExponent exponent, int64_t D) {
    const Values all = as_doubles(quirks::position_table(exponent, {3, D}, DType::f64));
    return Values(all.begin() + D, all.begin() + D + 6);
  };
  check_near(row1(quirks::PositionExponent::correct, 6),
             {.841471, .540302, .046399, .998923, .002154, .999998});
  check_near(row1(quirks::PositionExponent::doubled, 6), {.841471, .540302, .002154, .999998, 4.6416e-6, 1});
  CHECK(row1(quirks::PositionExponent::doubled, 6)[4] == Approx(4.6416e-6).epsilon(1e-4));
  check_near(row1(quirks::PositionExponent::doubled, 512),
             {.841471, .540302, .801962, .597375, .761720, .647906});
}
