// A room as text, JSON, picture and page.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/explain/page.h"
#include "tools/report/html_page.h"
#include "tools/tutorials/quirk.h"

namespace xf::tools::explain {

namespace {

constexpr double kCell = 44, kWidth = 900;  // pixels: a cell with room for its number
constexpr double kNoise = 1e-12;            // below: what rounding in f64 leaves

std::string number_text(double value) {
  return std::abs(value) < kNoise ? "0" : fmt::format("{:.4g}", value);
}

std::vector<std::string> lines_of(const TitledMatrix& titled) {
  std::vector<std::string> lines = {"  " + titled.title};
  if (titled.title.empty()) lines.clear();
  for (const std::string& line : split(matrix_text(titled.matrix, 2, number_text), '\n')) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

// Blocks of lines beside each other where there is room, else below.
std::string side_by_side(const std::vector<TitledMatrix>& panels) {
  std::vector<std::string> page;
  size_t begin = 0;  // of the line of panels
  size_t left = 0;
  for (const TitledMatrix& titled : panels) {
    const std::vector<std::string> lines = lines_of(titled);
    size_t width = 0;
    for (const std::string& line : lines) width = std::max(width, width_of(line));
    if (left > 0 && left + 2 + width > kPageColumns) begin = page.size(), left = 0;
    page.resize(std::max(page.size(), begin + lines.size()));
    for (size_t i = 0; i < lines.size(); ++i) {
      std::string& line = page[begin + i];
      if (left > 0) line += std::string(left + 2 - width_of(line), ' ');
      line += lines[i];
    }
    left += left > 0 ? 2 + width : width;
  }
  std::string text;
  for (const std::string& line : page) text += line + "\n";
  return text;
}

nlohmann::ordered_json json_of(const Plot& plot) {
  nlohmann::ordered_json json = {{"title", plot.title}, {"x", plot.x_label}, {"y", plot.y_label}};
  for (const PlotSeries& series : plot.series) {
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    // null: not finite
    for (const PlotPoint& point : series.points) points.push_back({point.x, point.y});
    json["series"].push_back({{"of", series.name}, {"points", points}});
  }
  return json;
}

// Sentences for names leave a picture no room for its cells on a narrow page: a table wraps them.
bool has_sentences(const TokenMatrix& matrix) {
  constexpr size_t kLongestName = 30;
  return std::ranges::any_of(matrix.rows,
                             [](const std::string& name) { return width_of(name) > kLongestName; });
}

void add_table(HtmlPage& page, const TokenMatrix& matrix) {
  std::vector<std::string> head = {""};
  head.insert(head.end(), matrix.columns.begin(), matrix.columns.end());
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < matrix.rows.size(); ++i) {
    rows.push_back({matrix.rows[i]});
    for (size_t j = 0; j < matrix.columns.size(); ++j) rows.back().push_back(number_text(matrix.at(i, j)));
  }
  page.table(head, rows);
}

std::string line_of(const QuirkNumber& number) {
  return fmt::format("{}: {}", number.what, number_text(number.value));
}

}  // namespace

std::string to_text(const QuirkRoom& room) {
  std::string text = fmt::format("{}  {}\n", room.id, room.title);
  text += wrapped(fmt::format("In {}: {}", room.found_in, room.option)) + "\n";
  text += wrapped("Quirk: " + room.quirk) + wrapped("Correct: " + room.correct);
  for (const Exhibit& exhibit : room.exhibits)
    text += fmt::format("\n{}\n{}", exhibit.caption, side_by_side(exhibit.panels));
  size_t width = 0;
  for (const QuirkNumber& number : room.numbers) width = std::max(width, width_of(number.what));
  text += "\n";
  for (const QuirkNumber& number : room.numbers)
    text += fmt::format("{:<{}}   {}\n", number.what, width, number_text(number.value));
  return text;
}

std::string to_json(const QuirkRoom& room) {
  nlohmann::ordered_json json = {{"quirk", room.id},      {"title", room.title}, {"found_in", room.found_in},
                                 {"switch", room.option}, {"does", room.quirk},  {"correct", room.correct}};
  for (const Exhibit& exhibit : room.exhibits) {
    nlohmann::ordered_json panels = nlohmann::ordered_json::array();
    for (const auto& [title, matrix] : exhibit.panels) {
      panels.push_back(
          {{"of", title}, {"rows", matrix.rows}, {"columns", matrix.columns}, {"values", matrix.values}});
    }
    json["exhibits"].push_back({{"caption", exhibit.caption}, {"panels", panels}});
  }
  for (const Plot& plot : room.plots) json["plots"].push_back(json_of(plot));
  for (const QuirkNumber& number : room.numbers) json["numbers"][number.what] = number.value;
  return json_page(json, 1);
}

std::string to_svg(const QuirkRoom& room) {
  const std::string title = fmt::format("{}: {}", room.id, room.title);
  std::vector<Gallery> galleries = {{title, {}}};
  for (const Exhibit& exhibit : room.exhibits) galleries.push_back({exhibit.caption, exhibit.panels});
  for (const QuirkNumber& number : room.numbers) galleries.push_back({line_of(number), {}});
  Drawing drawing = gallery_drawing(title, galleries, kCell, kWidth);
  for (const Plot& plot : room.plots) drawing.append(plot_drawing(plot));
  return drawing.svg();
}

std::string to_html(const QuirkRoom& room) {
  HtmlPage page(fmt::format("{}: {}", room.id, room.title));
  page.paragraph(fmt::format("In {}: {}", room.found_in, room.option));
  page.paragraph("Quirk: " + room.quirk);
  page.paragraph("Correct: " + room.correct);
  for (const Exhibit& exhibit : room.exhibits) {
    page.heading(exhibit.caption);
    page.open_figures();
    for (const auto& [title, matrix] : exhibit.panels) {
      if (has_sentences(matrix)) {
        add_table(page, matrix);
      } else {
        page.figure(matrix_drawing(matrix, title, kCell), "");
      }
    }
    page.close_figures();
  }
  for (const Plot& plot : room.plots) page.figure(plot_drawing(plot), "");
  page.heading("In numbers");
  std::vector<std::vector<std::string>> rows;
  for (const QuirkNumber& number : room.numbers) rows.push_back({number.what, number_text(number.value)});
  page.table({"", ""}, rows);
  return page.html();
}

}  // namespace xf::tools::explain
