// Expectation: the C library in f64.
#include "kernels/cpu/vector_math.h"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.h"

using namespace xf::kernels;

TEST_CASE("VectorMath: exp is within 2 ulp, exact at 0, and keeps NaN and the ends", "[unit]") {
  double worst = 0;
  for (int i = -870000; i <= 880000; ++i) {
    const float x = static_cast<float>(i) * 1e-4f;
    const double expected = std::exp(static_cast<double>(x));
    const auto rounded = static_cast<float>(expected);
    // in f64, as denormals may be off
    const double ulp = double{std::nextafter(rounded, std::numeric_limits<float>::infinity())} - rounded;
    worst = std::max(worst, std::abs(vector_exp(x) - expected) / ulp);
  }
  CHECK(worst < 2);
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(vector_exp(0.0f) == 1.0f);
  CHECK(vector_exp(-infinity) == 0.0f);
  CHECK(vector_exp(-88.0f) == 0.0f);
  CHECK(vector_exp(infinity) == infinity);
  CHECK(std::isnan(vector_exp(std::nanf(""))));
}

TEST_CASE("VectorMath: the normal distribution is within 3e-7", "[unit]") {
  double worst = 0;
  for (int i = -100000; i <= 100000; ++i) {
    const float z = static_cast<float>(i) * 1e-4f;
    const Normal<float> normal = vector_normal(z);
    const Normal<double> expected = vector_normal(static_cast<double>(z));
    worst = std::max({worst, std::abs(normal.cumulative - expected.cumulative),
                      std::abs(normal.density - expected.density)});
  }
  CHECK(worst < 3e-7);
}
