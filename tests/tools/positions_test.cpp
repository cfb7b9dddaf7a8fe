// What xformer-explain positions shows: numbers of the formula (Vaswani et al. 2017, section 3.5),
// calculated by hand.
#include "tools/explain/positions.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tests/tools/parsed_options.h"

namespace xf::tools::explain {
namespace {

using kernels::PositionLayout;
using tests::error_of;

void check_row(int64_t dim, int64_t position, int64_t first_column, const std::vector<double>& expected) {
  const Positions positions = positions_of(position + 1, dim, PositionLayout::interleaved, {});
  for (size_t c = 0; c < expected.size(); ++c) {
    INFO("D " << dim << ", position " << position << ", column " << first_column + static_cast<int64_t>(c));
    CHECK(positions.at(position, first_column + static_cast<int64_t>(c)) == Approx(expected[c]).margin(1e-6));
  }
}

// sin and cos of j / 10000^(2i/D), rounded to six digits. (In f32 an angle of 255 is off by 1e-5: a
// table that was computed so, as PyTorch code usually does, has 0.586151 and 0.105426 in the last
// of these rows of width 512.)
TEST_CASE("Positions: rows of tables of width 4, 6 and 512, by hand", "[golden]") {
  check_row(512, 0, 0, {0, 1, 0, 1});
  check_row(512, 1, 0, {0.841471, 0.540302, 0.821856, 0.569695, 0.801962, 0.597375});
  check_row(512, 1, 510, {0.000104, 1});
  check_row(512, 2, 0, {0.909297, -0.416147, 0.936415, -0.350895});
  check_row(512, 10, 0, {-0.544021, -0.839072});
  check_row(512, 255, 0, {-0.506392, -0.862304, 0.810196, 0.586159, -0.994427, 0.105429});
  check_row(4, 1, 0, {0.841471, 0.540302, 0.010000, 0.999950});
  check_row(4, 3, 0, {0.141120, -0.989992, 0.029996, 0.999550});
  check_row(6, 1, 0, {0.841471, 0.540302, 0.046399, 0.998923, 0.002154, 0.999998});
}

TEST_CASE("Positions: a column is named by its function, its pair and its wavelength", "[unit]") {
  const Positions paper = positions_of(3, 8, PositionLayout::interleaved, {}),
                  split = positions_of(3, 8, PositionLayout::split, {});
  for (int64_t c = 0; c < 8; ++c) {
    for (const Positions* positions : {&paper, &split}) {
      // One wavelength on, the function has the same value: at position 1, turn / wavelength is the
      // angle.
      const double angle = 2 * std::numbers::pi / positions->wavelength(c);
      CHECK(positions->at(1, c) ==
            Approx(positions->is_sine(c) ? std::sin(angle) : std::cos(angle)).margin(1e-12));
    }
    CHECK(split.at(2, split.is_sine(c) ? split.pair(c) : 4 + split.pair(c)) == split.at(2, c));
  }
  CHECK(paper.columns == std::vector<int64_t>{0, 1, 2, 3, 6, 7});
  CHECK(split.columns == std::vector<int64_t>{0, 4, 1, 5, 3, 7});
}

TEST_CASE("Positions: text, JSON, picture and page hold the table", "[unit]") {
  const Positions positions = positions_of(7, 6, PositionLayout::interleaved, {0, 5});
  const auto json = nlohmann::json::parse(to_json(positions));
  REQUIRE(json.at("table").size() == 7);
  CHECK(json["table"][6][5] == positions.at(6, 5));
  CHECK(to_text(positions).find("j = 6") != std::string::npos);
  for (const std::string& page : {to_svg(positions), to_html(positions)}) {
    CHECK(page.find("column 5: cos, i = 2") != std::string::npos);
    size_t cells = 0, zeros = 0;  // every cell but those at zero has its square
    for (size_t at = page.find("h1v1h-1z"); at != std::string::npos; at = page.find("h1v1h-1z", at + 1))
      ++cells;
    for (int64_t j = 0; j < 7; ++j) {
      for (int64_t c = 0; c < 6; ++c) zeros += std::abs(positions.at(j, c)) < 0.025;
    }
    CHECK(cells + zeros == 42);
  }
  CHECK(to_html(positions_of(1, 2, PositionLayout::split, {})).find("nan") == std::string::npos);
}

TEST_CASE("Positions: the formula is the layout's, and columns may be apart by commas", "[unit]") {
  CHECK_THAT(to_text(positions_of(2, 4, PositionLayout::interleaved, {})),
             Catch::Contains("P[j, 2i+1] = cos"));
  CHECK_THAT(to_text(positions_of(2, 4, PositionLayout::split, {})), Catch::Contains("P[j, D/2+i] = cos"));
  const char* const words[] = {"xformer-explain positions", "--columns", "0,3"};
  CHECK(parse_options(PositionsOptions(), 3, words)->columns == std::vector<int64_t>{0, 3});
}

TEST_CASE("Positions: an odd width and a column that is not there are refused", "[unit]") {
  CHECK(error_of([] {
          positions_of(4, 5, PositionLayout::interleaved, {});
        }).starts_with("2: --dim: 5 is odd"));
  CHECK(error_of([] { positions_of(4, 6, PositionLayout::interleaved, {6}); }) ==
        "2: --columns: there is no column 6; the last one is 5");
}

}  // namespace
}  // namespace xf::tools::explain
