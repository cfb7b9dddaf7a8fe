#include "tools/report/matrix_picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "data/unicode.h"
#include "tools/report/svg_plot.h"

namespace xf::tools {

namespace {

constexpr double kTitle = 20, kGap = 6;  // pixels: the title's line; between tokens and cells
constexpr double kRoomForNumbers = 30;   // a smaller cell has none
constexpr double kVisible = 0.005;       // what two digits show
constexpr double kNoise = 1e-12;         // below: what rounding in f64 leaves
constexpr double kDarkEnough = 0.55;     // from here on ink on a cell is light

double letters(double cell) { return std::clamp(cell * 0.8, 7.0, 13.0); }

double widest(const std::vector<std::string>& tokens, double size) {
  double width = 0;
  for (const std::string& token : tokens) width = std::max(width, text_width(token, size));
  return width;
}

// Where the cells begin, from the picture's corner.
PictureSize corner(const TokenMatrix& matrix, double cell) {
  return {widest(matrix.rows, letters(cell)) + kGap, kTitle + widest(matrix.columns, letters(cell)) + kGap};
}

// Column tokens, in letters.
size_t length(const std::string& token) { return data::to_utf32(token).size(); }

void draw_cells(Drawing& drawing, double x, double y, const TokenMatrix& matrix, double cell) {
  drawing.add(fmt::format(R"svg(<g class="data cells" transform="translate({:.1f} {:.1f})">)svg", x, y));
  for (size_t i = 0; i < matrix.rows.size(); ++i) {
    for (size_t j = 0; j < matrix.columns.size(); ++j) {
      const double value = matrix.at(i, j), opacity = std::min(std::abs(value) / matrix.full, 1.0);
      drawing.add(fmt::format(
          R"(<rect{} x="{:g}" y="{:g}" width="{:g}" height="{:g}" fill-opacity="{:.3g}"><title>{} → {}: {:.3g}</title></rect>)",
          value < 0 ? R"( class="negative")" : "", cell * static_cast<double>(j),
          cell * static_cast<double>(i), cell, cell, opacity, escaped(matrix.rows[i]),
          escaped(matrix.columns[j]), value));
    }
  }
  drawing.add("</g>");
}

std::string number_of(double value) {
  if (std::abs(value) >= kVisible) return fmt::format("{:.2f}", value);
  return std::abs(value) < kNoise ? "0" : fmt::format("{:.0e}", value);
}

// A weight's or a probability's nought is the empty cell; a quantity's is a number.
void draw_numbers(Drawing& drawing, double x, double y, const TokenMatrix& matrix, double cell) {
  for (size_t i = 0; i < matrix.rows.size(); ++i) {
    for (size_t j = 0; j < matrix.columns.size(); ++j) {
      const double value = matrix.at(i, j);
      if (matrix.full == 1 && std::abs(value) < kVisible) continue;
      drawing.text(x + cell * (static_cast<double>(j) + 0.5), y + cell * (static_cast<double>(i) + 0.6),
                   number_of(value), "middle", 11,
                   std::abs(value) > kDarkEnough * matrix.full ? "on-data" : "ink");
    }
  }
}

// Where the pictures of galleries lie, from the top left corner on.
class Flow {
 public:
  explicit Flow(double width) : width_(width) {}
  // y of a heading's baseline, on a line of its own.
  double heading() {
    next_line();
    top_ += kHeading;
    return top_ - kHeading / 3;
  }
  // The corner of a picture of this size.
  PictureSize place(const PictureSize& size) {
    if (left_ > kMargin && left_ + size.width > width_) next_line();
    const PictureSize corner{left_, top_};
    left_ += size.width + kBetween;
    tallest_ = std::max(tallest_, size.height);
    right_ = std::max(right_, left_);
    return corner;
  }
  PictureSize extent() {
    next_line();
    return {right_, top_};
  }
  static constexpr double kMargin = 16;

 private:
  static constexpr double kBetween = 20, kHeading = 36;  // pixels
  void next_line() {
    top_ += tallest_ > 0 ? tallest_ + kBetween : 0;
    left_ = kMargin;
    tallest_ = 0;
  }
  double width_, left_ = kMargin, top_ = 0, tallest_ = 0, right_ = 0;
};

}  // namespace

PictureSize picture_size(const TokenMatrix& matrix, const std::string& title, double cell) {
  const PictureSize cells = corner(matrix, cell);
  return {std::max(cells.width + cell * static_cast<double>(matrix.columns.size()), text_width(title)) + kGap,
          cells.height + cell * static_cast<double>(matrix.rows.size()) + kGap};
}

void draw_matrix(Drawing& drawing, double x, double y, const TokenMatrix& matrix, const std::string& title,
                 double cell) {
  const double size = letters(cell);
  const PictureSize cells = corner(matrix, cell);
  const double left = x + cells.width, top = y + cells.height;
  drawing.text(x, y + 14, title);
  for (size_t i = 0; i < matrix.rows.size(); ++i) {
    drawing.text(left - kGap, top + cell * (static_cast<double>(i) + 0.5) + size / 3, matrix.rows[i], "end",
                 size);
  }
  for (size_t j = 0; j < matrix.columns.size(); ++j) {
    drawing.text_upwards(left + cell * (static_cast<double>(j) + 0.5) + size / 3, top - kGap,
                         matrix.columns[j], size);
  }
  draw_cells(drawing, left, top, matrix, cell);
  if (cell >= kRoomForNumbers) draw_numbers(drawing, left, top, matrix, cell);
}

Drawing matrix_drawing(const TokenMatrix& matrix, const std::string& title, double cell) {
  const PictureSize size = picture_size(matrix, title, cell);
  Drawing drawing(size.width, size.height, title);
  draw_matrix(drawing, 0, 0, matrix, title, cell);
  return drawing;
}

Drawing gallery_drawing(const std::string& title, const std::vector<Gallery>& galleries, double cell,
                        double width) {
  Flow measure(width), flow(width);
  double widest_heading = 0;
  for (const Gallery& gallery : galleries) {
    measure.heading();
    widest_heading = std::max(widest_heading, Flow::kMargin * 2 + text_width(gallery.heading, 15));
    for (const auto& [name, matrix] : gallery.matrices) measure.place(picture_size(matrix, name, cell));
  }
  const PictureSize extent = measure.extent();
  Drawing drawing(std::max(extent.width, widest_heading), extent.height, title);
  for (const Gallery& gallery : galleries) {
    drawing.text(Flow::kMargin, flow.heading(), gallery.heading, "start", 15);
    for (const auto& [name, matrix] : gallery.matrices) {
      const PictureSize at = flow.place(picture_size(matrix, name, cell));
      draw_matrix(drawing, at.width, at.height, matrix, name, cell);
    }
  }
  return drawing;
}

std::string matrix_text(const TokenMatrix& matrix, int indent, std::string (*cell)(double)) {
  size_t margin = 0;
  for (const std::string& token : matrix.rows) margin = std::max(margin, length(token));
  std::string text = fmt::format("{:{}}", "", static_cast<size_t>(indent) + margin);
  std::vector<std::string> lines;
  for (const std::string& token : matrix.rows)
    lines.push_back(fmt::format("\n{:{}}{:>{}}", "", indent, token, margin));
  for (size_t j = 0; j < matrix.columns.size(); ++j) {
    size_t width = length(matrix.columns[j]);
    for (size_t i = 0; i < lines.size(); ++i) width = std::max(width, length(cell(matrix.at(i, j))));
    text += fmt::format("  {:>{}}", matrix.columns[j], width);
    for (size_t i = 0; i < lines.size(); ++i)
      lines[i] += fmt::format("  {:>{}}", cell(matrix.at(i, j)), width);
  }
  for (const std::string& line : lines) text += line;
  return text + "\n";
}

}  // namespace xf::tools
