#include "tools/report/score_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/unicode.h"
#include "tools/config/option.h"

namespace xf::tools {
namespace {

enum class Side { right, middle };

struct GridColumn {
  std::string head;
  std::vector<std::string> cells;  // of one or more lines
  Side side = Side::middle;
};

size_t characters(const std::string& text) { return data::to_utf32(text).size(); }

size_t width_of(const GridColumn& column) {
  size_t width = characters(column.head) + 2;
  for (const std::string& cell : column.cells) {
    for (const std::string& line : split(cell, '\n')) width = std::max(width, characters(line));
  }
  return width;
}

std::string padded(const std::string& text, size_t width, Side side) {
  const size_t space = width - characters(text);
  const size_t before = side == Side::right ? space : space / 2;
  return std::string(before, ' ') + text + std::string(space - before, ' ');
}

// The rule between two rows: ends, what crosses the columns' borders, the line itself.
std::string rule(const std::vector<GridColumn>& columns, const char* begin, const char* line,
                 const char* cross, const char* end) {
  std::string text = begin;
  for (const GridColumn& column : columns) {
    if (&column != &columns.front()) text += cross;
    for (size_t i = 0; i < width_of(column) + 2; ++i) text += line;
  }
  return text + end + "\n";
}

std::string grid_row(const std::vector<GridColumn>& columns, const std::vector<std::string>& cells) {
  std::vector<std::vector<std::string>> lines;
  size_t height = 0;
  for (const std::string& cell : cells) {
    lines.push_back(split(cell, '\n'));
    height = std::max(height, lines.back().size());
  }
  std::string text;
  for (size_t i = 0; i < height; ++i) {
    for (size_t c = 0; c < columns.size(); ++c) {
      const std::string line = i < lines[c].size() ? lines[c][i] : "";
      text += fmt::format("│ {} ", padded(line, width_of(columns[c]), columns[c].side));
    }
    text += "│\n";
  }
  return text;
}

std::string grid(const std::vector<GridColumn>& columns) {
  std::vector<std::string> row;
  for (const GridColumn& column : columns) row.push_back(column.head);
  std::string text = rule(columns, "╒", "═", "╤", "╕") + grid_row(columns, row);
  for (size_t i = 0; i < columns.front().cells.size(); ++i) {
    text += i == 0 ? rule(columns, "╞", "═", "╪", "╡") : rule(columns, "├", "─", "┼", "┤");
    row.clear();
    for (const GridColumn& column : columns) row.push_back(column.cells[i]);
    text += grid_row(columns, row);
  }
  return text + rule(columns, "╘", "═", "╧", "╛");
}

std::string cell_text(const data::PairedResult& result, int width) {
  std::string text = fmt::format("{:.{}f}", result.score, width);
  if (const auto& interval = result.confidence) {
    text += fmt::format(" ({:.{}f} ± {:.{}f})", interval->mean, width, interval->half_width, width);
  }
  if (const auto& p = result.p_value) text += fmt::format("\n(p = {:.4f}){}", *p, *p > 0.05 ? "" : "*");
  return text;
}

std::string headline(const std::string& text) {
  const std::string line(text.size(), '-');
  return fmt::format("{}\n{}\n{}\n", line, text, line);
}

std::string reading_of_p(const ScoreTable& table) {
  const bool bootstrap = table.trials->test == data::PairedTest::bootstrap;
  std::string text = headline(fmt::format("Paired test by {}, {} {}",
                                          bootstrap ? "bootstrap resampling" : "approximate randomization",
                                          table.trials->count, bootstrap ? "resamples" : "trials"));
  text += fmt::format(" - Every system is compared with {}.\n", table.systems.front());
  if (bootstrap)
    text += " - In brackets: mean over the resamples ± half of the interval that holds 95% of them.\n";
  return text +
         " - p: the share of trials in which chance makes a difference larger than the one observed.\n"
         " - *: p is at most 0.05, so chance hardly explains the difference; "
         "that it matters is another claim.\n\n";
}

// As Python writes a number.
std::string json_number(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string json_result(const data::PairedResult& result) {
  const auto number_or_null = [](const auto& value) { return value ? json_number(*value) : "null"; };
  std::optional<double> mean, half_width;
  if (result.confidence) mean = result.confidence->mean, half_width = result.confidence->half_width;
  return fmt::format(
      "{{\n            \"score\": {},\n            \"p_value\": {},\n            \"mean\": {},\n"
      "            \"ci\": {}\n        }}",
      json_number(result.score), number_or_null(result.p_value), number_or_null(mean),
      number_or_null(half_width));
}

}  // namespace

std::string table_as_text(const ScoreTable& table) {
  const bool bootstrap = table.trials && table.trials->test == data::PairedTest::bootstrap;
  std::vector<GridColumn> columns = {{"System", table.systems, Side::right}};
  for (const auto& column : table.columns) {
    GridColumn scores{.head = column.metric + (bootstrap ? " (μ ± 95% CI)" : ""), .cells = {}};
    for (const auto& result : column.results) scores.cells.push_back(cell_text(result, table.width));
    columns.push_back(std::move(scores));
  }
  std::string text = grid(columns) + "\n";
  if (table.trials) text += reading_of_p(table);
  text += headline("Metric signatures");
  for (const auto& column : table.columns) {
    text += fmt::format(" - {:<10} {}\n", column.metric, column.signature);
  }
  return text;
}

std::string table_as_json(const ScoreTable& table) {
  std::vector<std::string> objects;
  for (size_t i = 0; i < table.systems.size(); ++i) {
    std::string object = fmt::format("    {{\n        \"system\": {}", json_string(table.systems[i]));
    for (const auto& column : table.columns) {
      const data::PairedResult& result = column.results[i];
      object += fmt::format(
          ",\n        {}: {}", json_string(column.metric),
          table.trials ? json_result(result) : fmt::format("\"{:.{}f}\"", result.score, table.width));
    }
    objects.push_back(object + "\n    }");
  }
  return fmt::format("[\n{}\n]\n", fmt::join(objects, ",\n"));
}

}  // namespace xf::tools
