#include "nn/train/average_choice.h"

#include <cmath>
#include <map>

#include "tests/support/catch.h"

using namespace xf::nn;

namespace {

// Scores of the mean of the last so many saves, by hand.
AverageChoice chosen(const std::map<int64_t, double>& scores, std::optional<double> best,
                     bool higher = true) {
  return choose_average(scores.rbegin()->first, best, higher,
                        [&](int64_t saves) { return scores.at(saves); });
}

std::vector<int64_t> tried(const AverageChoice& choice) {
  std::vector<int64_t> saves;
  for (const AverageChoice::Tried& t : choice.tried) saves.push_back(t.saves);
  return saves;
}

}  // namespace

TEST_CASE("Average: as many saves as validation likes best, from all to one", "[unit]") {
  const AverageChoice whole = chosen({{10, 40}, {5, 39}}, 38);
  CHECK(whole.saves == 10);
  CHECK(tried(whole) == std::vector<int64_t>{10, 5});  // what a long run costs
  const AverageChoice fewer = chosen({{8, 22}, {4, 26}, {2, 28}, {1, 27}}, 27.6);
  CHECK(fewer.saves == 2);
  CHECK(tried(fewer) == std::vector<int64_t>{8, 4, 2, 1});
  CHECK(chosen({{3, 1}, {2, 2}, {1, 3}}, std::nullopt).saves == 1);
  CHECK(chosen({{1, 3}}, std::nullopt).saves == 1);
}

TEST_CASE("Average: the best save alone where no mean is as good", "[unit]") {
  CHECK(chosen({{4, 20}, {2, 19}}, 21).saves == 0);
  CHECK(chosen({{4, 20}, {2, 19}}, 20).saves == 4);  // of equals the mean
  CHECK(chosen({{4, 2.0}, {2, 2.5}}, 1.9, false).saves == 0);
  CHECK(chosen({{4, 2.0}, {2, 1.5}, {1, 1.6}}, 1.9, false).saves == 2);
}

TEST_CASE("Average: a score that is none is worse than any", "[unit]") {
  const double none = std::nan("");
  CHECK(chosen({{4, none}, {2, 1}, {1, 0.5}}, std::nullopt).saves == 2);
  CHECK(chosen({{4, 1}, {2, none}}, none).saves == 4);
  CHECK(chosen({{2, none}, {1, none}}, 3).saves == 0);
}
