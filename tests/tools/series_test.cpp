#include "tools/report/run_plots.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace xf::tools;

TEST_CASE("Series: a long one keeps its ends, its peaks and its order, and few points", "[unit]") {
  std::vector<PlotPoint> points;
  for (int i = 0; i < 50000; ++i) points.push_back({static_cast<double>(i), static_cast<double>(i % 7)});
  points[12345].y = 99;
  points[40001].y = -99;
  const std::vector<PlotPoint> few = thinned(points, 400);
  CHECK(few.size() <= 400);
  CHECK(few.front().x == 0);
  CHECK(few.back().x == 49999);
  CHECK(std::ranges::is_sorted(few, std::less(), &PlotPoint::x));
  CHECK(std::ranges::count(few, 99.0, &PlotPoint::y) == 1);
  CHECK(std::ranges::count(few, -99.0, &PlotPoint::y) == 1);
}

TEST_CASE("Series: a short one stays as it is", "[unit]") {
  const std::vector<PlotPoint> points = {{1, 5}, {2, 6}, {4, 0}};
  CHECK(thinned(points, 400).size() == 3);
  CHECK(thinned({}, 400).empty());
  CHECK(moving_mean({}, 5).empty());
}

// By hand: of 1 2 6 3 the means of three are (1+2)/2 at the end, 9/3, 11/3, and (6+3)/2.
TEST_CASE("Series: the moving mean is over the points around, fewer at the ends", "[unit]") {
  const std::vector<PlotPoint> means = moving_mean({{1, 1}, {2, 2}, {3, 6}, {4, 3}}, 3);
  REQUIRE(means.size() == 4);
  CHECK(means[0].y == Approx(1.5));
  CHECK(means[1].y == Approx(3));
  CHECK(means[2].y == Approx(11.0 / 3));
  CHECK(means[3].y == Approx(4.5));
}
