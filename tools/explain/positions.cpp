#include "tools/explain/positions.h"
#include "tools/config/program_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/error.h"
#include "tools/explain/page.h"

namespace xf::tools::explain {

namespace {

using kernels::PositionLayout;

const char* name_of(PositionLayout layout) {
  return layout == PositionLayout::interleaved ? "interleaved" : "split";
}

// Both functions of the fastest pair, of one in between, and of the slowest: as many as there are
// colours.
std::vector<int64_t> spanning_columns(int64_t dim, PositionLayout layout) {
  std::vector<int64_t> columns;
  const int64_t pairs = dim / 2;
  for (const int64_t pair : {int64_t{0}, pairs / 4, pairs - 1}) {
    const bool interleaved = layout == PositionLayout::interleaved;
    for (const int64_t column : {interleaved ? 2 * pair : pair, interleaved ? 2 * pair + 1 : pairs + pair}) {
      if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
    }
  }
  return columns;
}

template <typename Value>
std::string line(const Positions& positions, const std::string& name, Value value) {
  std::string text = fmt::format("{:<10}", name);
  for (const int64_t column : positions.columns) text += fmt::format("{:>12}", value(column));
  return text + "\n";
}

}  // namespace

bool Positions::is_sine(int64_t column) const {
  return layout == PositionLayout::interleaved ? column % 2 == 0 : column < dim() / 2;
}

int64_t Positions::pair(int64_t column) const {
  return layout == PositionLayout::interleaved ? column / 2 : column % (dim() / 2);
}

double Positions::wavelength(int64_t column) const {
  return 2 * std::numbers::pi *
         std::pow(10000.0, static_cast<double>(2 * pair(column)) / static_cast<double>(dim()));
}

Positions positions_of(int64_t length, int64_t dim, PositionLayout layout, std::vector<int64_t> columns) {
  if (dim % 2 != 0) fail(ErrorKind::usage, "--dim: {} is odd; sines and cosines come in pairs", dim);
  if (columns.empty()) columns = spanning_columns(dim, layout);
  for (const int64_t column : columns) {
    if (column >= dim)
      fail(ErrorKind::usage, "--columns: there is no column {}; the last one is {}", column, dim - 1);
  }
  Positions positions{layout, Tensor::empty({length, dim}, DType::f64), std::move(columns)};
  kernels::sinusoid_positions(layout, positions.table);
  return positions;
}

std::string to_text(const Positions& positions) {
  const bool interleaved = positions.layout == PositionLayout::interleaved;
  std::string text = fmt::format(
      "sinusoid positions   docs/derivations/embedding.md\n\n"
      "(EM3)  P[j, {}] = sin(j / 10000^(2i/D)),  P[j, {}] = cos(j / 10000^(2i/D))\n"
      "       D = {}, {}; {} positions; columns {}; a wavelength is in positions\n\n",
      interleaved ? "2i" : "i", interleaved ? "2i+1" : "D/2+i", positions.dim(), name_of(positions.layout),
      positions.length(), fmt::join(positions.columns, ", "));
  text += line(positions, "column", [](int64_t column) { return fmt::format("{}", column); });
  text += line(positions, "is", [&](int64_t column) {
    return fmt::format("{} i={}", positions.is_sine(column) ? "sin" : "cos", positions.pair(column));
  });
  text += line(positions, "wavelength",
               [&](int64_t column) { return fmt::format("{:.6g}", positions.wavelength(column)); });
  for (int64_t j = 0; j < positions.length(); ++j) {
    text += line(positions, fmt::format("j = {}", j),
                 [&](int64_t column) { return fmt::format("{:.6f}", positions.at(j, column)); });
  }
  return text;
}

std::string to_json(const Positions& positions) {
  nlohmann::ordered_json json = {{"equation", "EM3"},
                                 {"page", "docs/derivations/embedding.md"},
                                 {"length", positions.length()},
                                 {"dim", positions.dim()},
                                 {"layout", name_of(positions.layout)}};
  const auto values = positions.table.to_vector<double>();
  for (int64_t j = 0; j < positions.length(); ++j) {
    const auto row = values.begin() + j * positions.dim();
    json["table"].push_back(std::vector<double>(row, row + positions.dim()));
  }
  return json_page(json, -1);
}

std::string positions(const PositionsOptions& options) {
  const Positions positions = positions_of(
      options.length, options.dim,
      options.layout == "split" ? PositionLayout::split : PositionLayout::interleaved, options.columns);
  const std::string& format = options.format;
  if (format == "json") return to_json(positions);
  if (format == "svg") return to_svg(positions);
  return format == "html" ? to_html(positions) : to_text(positions);
}

}  // namespace xf::tools::explain
