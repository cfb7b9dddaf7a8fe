#include "tools/report/svg_plot.h"

#include <algorithm>
#include <limits>

#include "tests/support/catch.h"

namespace xf::tools {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_CASE("Plot: ticks are round and cover the data", "[unit]") {
  CHECK(nice_ticks(0, 8000, 9) == std::vector<double>{0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000});
  CHECK(nice_ticks(3, 41, 6) == std::vector<double>{0, 10, 20, 30, 40, 50});
  const auto small = nice_ticks(0.101, 0.299, 5);
  REQUIRE(small.size() == 5);  // 0.10, 0.15, ... 0.30
  CHECK(small.front() == Approx(0.1));
  CHECK(small.back() == Approx(0.3));
  for (const double shift : {-1e6, 0.0, 3.7}) {
    const auto ticks = nice_ticks(shift, shift + 1, 6);
    CHECK(ticks.front() <= shift + 1e-6);
    CHECK(ticks.back() >= shift + 1 - 1e-6);
  }
}

TEST_CASE("Plot: texts are escaped", "[unit]") {
  const std::string text =
      svg({.title = "a < b & \"c\"", .x_label = "x", .y_label = "y", .series = {}, .marks = {}});
  CHECK(text.find("a &lt; b &amp; &quot;c&quot;") != std::string::npos);
  CHECK(text.find("a < b") == std::string::npos);
}

TEST_CASE("Plot: no data, one point, a constant and NaN make no broken numbers", "[unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<PlotPoint>> cases = {
      {}, {{1, nan}}, {{5, 2}}, {{0, 0}, {1, 0}}, {{0, 1}, {1, nan}, {2, 3}}, {{0, 1}, {1, 1 / 0.0}}};
  for (const auto& points : cases) {
    const std::string text = svg({.title = "t",
                                  .x_label = "x",
                                  .y_label = "y",
                                  .series = {{"s", points, true}},
                                  .marks = {{{nan, 1}, "m"}}});
    CHECK(text.find("nan") == std::string::npos);
    CHECK(text.find("inf") == std::string::npos);
    CHECK(text.ends_with("</svg>\n"));
  }
  CHECK(svg({.title = "t", .x_label = "", .y_label = "", .series = {}, .marks = {}}).find("no data yet") !=
        std::string::npos);
}

// The numbers after each `part`.
std::vector<double> numbers_after(const std::string& text, const std::string& part) {
  std::vector<double> numbers;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    numbers.push_back(std::stod(text.substr(at + part.size())));
  return numbers;
}

TEST_CASE("Plot: names that are too long for one line of the legend take several, above the curves",
          "[unit]") {
  const std::string name(60, 'm');
  const PlotSeries series{name, {{0, 1}, {1, 2}}, true};
  const Plot plot{
      .title = "t", .x_label = "x", .y_label = "y", .series = {series, series, series}, .marks = {}};
  const std::string text = svg(plot);
  const auto left = numbers_after(text, "class=\"ink label\" x=\"");
  REQUIRE(left.size() >= 3);
  for (int i = 0; i < 3; ++i) CHECK(left[static_cast<size_t>(i)] + 7 * 60 <= plot.width);
  const auto dots = numbers_after(text, "cy=\""), names = numbers_after(text, "x2=\"86.0\" y1=\"");
  REQUIRE(names.size() == 3);
  CHECK(names[2] > names[1]);
  CHECK(*std::min_element(dots.begin(), dots.end()) > names[2] + 9);
}

TEST_CASE("Plot: a gap in the data is a gap in the curve, and two series have a legend", "[unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const PlotSeries gap{"one", {{0, 1}, {1, 2}, {2, nan}, {3, 4}, {4, 5}}, false};
  Plot plot{.title = "t", .x_label = "x", .y_label = "y", .series = {gap}, .marks = {}};
  CHECK(count(svg(plot), "<polyline") == 2);
  CHECK(count(svg(plot), ">one<") == 0);
  plot.series.push_back({"two", {{0, 1}}, false});
  CHECK(count(svg(plot), ">one<") == 1);
  CHECK(count(svg(plot), ">two<") == 1);
}

TEST_CASE("Plot: what is noisy lies lightly behind its mean, in its colour, once in the legend", "[unit]") {
  const std::vector<PlotPoint> points = {{0, 1}, {1, 2}};
  const Plot plot{.title = "t",
                  .x_label = "x",
                  .y_label = "y",
                  .series = {{"one", points, false, true}, {"one", points}, {"two", points}},
                  .marks = {}};
  const std::string text = svg(plot);
  CHECK(count(text, ">one<") == 1);
  CHECK(count(text, "<polyline class=\"curve faint\" stroke=\"#0072B2\"") == 1);
  CHECK(count(text, "<polyline class=\"curve\" stroke=\"#0072B2\"") == 1);
  CHECK(count(text, "<polyline class=\"curve\" stroke=\"#D55E00\"") == 1);
}

TEST_CASE("Plot axis: on a logarithmic one equal factors are equal distances, and its ends are round",
          "[unit]") {
  const PlotAxis axis(Scale::logarithmic, 0.3, 40, 6, 100, 500);
  CHECK(axis(0.2) == Approx(100));
  CHECK(axis(50) == Approx(500));
  CHECK(axis(2) - axis(1) == Approx(axis(20) - axis(10)));
  CHECK(axis.ticks().size() == 8);                               // 0.2, 0.5, 1 ... 50
  const PlotAxis constant(Scale::logarithmic, 1, 1, 6, 0, 100);  // gets room on both sides
  CHECK(constant(1) > 0);
  CHECK(constant(1) < 100);
}

TEST_CASE("Plot axis: of many powers of ten only they are ticks", "[unit]") {
  const PlotAxis axis(Scale::logarithmic, 2e-4, 3e6, 6, 0, 100);
  REQUIRE(axis.ticks().size() == 11);  // 0.0001, 0.001 ... 1000000
  CHECK(axis.label(axis.ticks().front()) == "1e-04");
  CHECK(axis.label(axis.ticks()[1]) == "0.001");
  CHECK(axis.label(axis.ticks().back()) == "1e+06");
}

TEST_CASE("Plot: a logarithmic one leaves out what is not positive", "[unit]") {
  Plot plot{.title = "t",
            .x_label = "x",
            .y_label = "y",
            .series = {{"one", {{1, 1}, {10, 0}, {100, 2}, {1000, 3}}, true}},
            .marks = {},
            .scale = Scale::logarithmic};
  CHECK(count(svg(plot), "<circle") == 3);
  CHECK(count(svg(plot), "<polyline") == 2);
  plot.series = {{"one", {{-1, 1}, {0, 1}}, true}};
  CHECK_THAT(svg(plot), Catch::Contains("no data yet"));
}

TEST_CASE("Plot: bytes that are not UTF-8 are replaced in a text", "[unit]") {
  CHECK(escaped("run\xff<ü>\x1b\u009b\u202e") == "run\\xff&lt;ü&gt;\\x1b\\u009b\\u202e");
}

TEST_CASE("Plot: dots that stand alone have names and no curve, in the legend too", "[unit]") {
  const PlotSeries dots{.name = "one", .points = {{1, 2, "a < b"}, {3, 4}}, .joined = false};
  const std::string text =
      svg({.title = "t", .x_label = "x", .y_label = "y", .series = {dots, dots}, .marks = {}});
  CHECK(count(text, "<polyline") == 0);
  CHECK(count(text, "<circle") == 6);  // twice two, and twice in the legend
  CHECK(count(text, "<title>a &lt; b</title>") == 2);
}

}  // namespace
}  // namespace xf::tools
