#include "nn/train/schedule.h"

#include <cmath>
#include <vector>

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

TEST_CASE("Schedule: noam is the paper's formula, times a factor", "[golden]") {
  // Vaswani et al. 2017, equation 3.
  for (const double u : {1.0, 100.0, 3999.0, 4000.0, 4001.0, 100000.0}) {
    const double expected = std::min(1 / std::sqrt(u), u * std::pow(4000.0, -1.5)) / std::sqrt(512.0);
    CHECK(noam(2, 512, 4000).at(static_cast<int64_t>(u)) == Approx(2 * expected).epsilon(1e-12));
  }
  CHECK(noam(1, 4, 0).at(9) == Approx(1.0 / 6));  // without warm-up: dim^-0.5 update^-0.5
}

namespace {

const Schedule kPlateau{.peak = 1e-3, .decay = Decay::plateau};

// The validations, counted from 1, after which the rate is lower than before. One per epoch.
std::vector<int64_t> cuts(const Schedule& schedule, const std::vector<double>& scores,
                          bool higher_is_better = false, PlateauState state = {}) {
  std::vector<int64_t> found;
  for (size_t i = 0; i < scores.size(); ++i) {
    const double before = state.scale;
    state = schedule.validated(state, static_cast<int64_t>(i), scores[i], higher_is_better);
    if (state.scale < before) found.push_back(static_cast<int64_t>(i) + 1);
  }
  return found;
}

}  // namespace

// PyTorch 1.13: ReduceLROnPlateau(factor=0.9, patience=10), stepped with a constant.
TEST_CASE("Schedule: a constant validation loss cuts the rate at the 12th call, then at every 11th",
          "[golden]") {
  CHECK(cuts(kPlateau, std::vector<double>(45, 3.2)) == std::vector<int64_t>{12, 23, 34, 45});
}

// The loop that steps it only in epochs over 100, counted from 0.
TEST_CASE("Schedule: with the gate at 101 the first possible cut follows printed epoch 113", "[golden]") {
  Schedule gated = kPlateau;
  gated.plateau.start_epoch = 101;
  CHECK(cuts(gated, std::vector<double>(130, 3.2)) == std::vector<int64_t>{113, 124});
}

TEST_CASE("Schedule: a plateau counts from the last gain, and a gain is more than a ten thousandth",
          "[unit]") {
  std::vector<double> scores(30, 3.0);
  scores[5] = 3.0 * (1 - 2e-4);
  CHECK(cuts(kPlateau, scores) == std::vector<int64_t>{17, 28});
  scores[5] = 3.0 * (1 - 0.5e-4);
  CHECK(cuts(kPlateau, scores) == std::vector<int64_t>{12, 23});
  std::vector<double> bleu(30, 20.0);
  bleu[5] = 21;
  CHECK(cuts(kPlateau, bleu, true) == std::vector<int64_t>{17, 28});
}

TEST_CASE("Schedule: a plateau's validation of NaN is one without gain, and never the best", "[unit]") {
  std::vector<double> scores(30, 3.0);
  scores[0] = std::nan("");
  CHECK(cuts(kPlateau, scores) == std::vector<int64_t>{13, 24});  // the second is the first gain
  scores[0] = 3.0;
  for (size_t i = 3; i < 30; ++i) scores[i] = std::nan("");
  CHECK(cuts(kPlateau, scores) == std::vector<int64_t>{12, 23});
  CHECK(cuts(kPlateau, std::vector<double>(30, std::nan(""))) == std::vector<int64_t>{11, 22});
}

TEST_CASE("Schedule: a plateau's cut multiplies the rate, and ends where it would be under 1e-8", "[unit]") {
  PlateauState state;
  for (int64_t epoch = 0; epoch < 12; ++epoch) state = kPlateau.validated(state, epoch, 1, false);
  CHECK(kPlateau.at(5, state) == Approx(0.9e-3));
  const Schedule warming{.peak = 1e-3, .warmup = 10, .decay = Decay::plateau};
  CHECK(warming.at(5, state) == Approx(0.45e-3));
  for (int64_t epoch = 12; epoch < 5000; ++epoch) state = kPlateau.validated(state, epoch, 1, false);
  // 1e-3 * 0.9^k with the smallest k for which a tenth of it is at most 1e-8: 0.9^87 = 1.045e-4,
  // 0.9^88 = 0.94e-4
  CHECK(kPlateau.at(5, state) == Approx(1e-3 * std::pow(0.9, 88)).epsilon(1e-9));
}

TEST_CASE("Schedule: other schedules do not hear of validations", "[unit]") {
  Schedule constant = kPlateau;
  constant.decay = Decay::constant;
  CHECK(cuts(constant, std::vector<double>(100, 1.0)).empty());
}
