#include "nn/schedule.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace xf::nn;

TEST_CASE("Schedule: a linear rise to the peak and then constant", "[unit]") {
  const Schedule schedule{.peak = 0.8, .warmup = 4};
  CHECK(schedule.at(1) == Approx(0.2));
  CHECK(schedule.at(3) == Approx(0.6));
  CHECK(schedule.at(4) == Approx(0.8));
  CHECK(schedule.at(100000) == Approx(0.8));
  CHECK(Schedule{.peak = 0.8}.at(1) == Approx(0.8));
}

TEST_CASE("Schedule: inverse square root is the paper's formula at the paper's peak", "[unit]") {
  // Vaswani et al. 2017, equation 3: D^-0.5 min(u^-0.5, u w^-1.5), whose peak is (D w)^-0.5.
  const double D = 512, w = 4000;
  const Schedule schedule{.peak = 1 / std::sqrt(D * w), .warmup = 4000, .decay = Decay::inverse_sqrt};
  for (const double u : {1.0, 100.0, 3999.0, 4000.0, 4001.0, 16000.0, 100000.0}) {
    const double expected = std::min(1 / std::sqrt(u), u * std::pow(w, -1.5)) / std::sqrt(D);
    CHECK(schedule.at(static_cast<int64_t>(u)) == Approx(expected).epsilon(1e-12));
  }
  CHECK(Schedule{.peak = 1, .decay = Decay::inverse_sqrt}.at(4) == Approx(0.5));
}

TEST_CASE("Schedule: cosine falls from the peak to zero and stays there", "[unit]") {
  const Schedule schedule{.peak = 0.8, .warmup = 4, .decay = Decay::cosine, .total = 104};
  CHECK(schedule.at(2) == Approx(0.4));
  CHECK(schedule.at(4) == Approx(0.8));
  CHECK(schedule.at(29) == Approx(0.4 * (1 + std::sqrt(0.5))));
  CHECK(schedule.at(54) == Approx(0.4));
  CHECK(schedule.at(104) == Approx(0).margin(1e-15));
  CHECK(schedule.at(200) == Approx(0).margin(1e-15));
}
