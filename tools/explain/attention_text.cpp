// Maps of attention as text and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/explain/attention_maps.h"
#include "tools/explain/page.h"

namespace xf::tools::explain {

namespace {

constexpr size_t kStrongest = 5;    // weights of a row that are written out
constexpr double kVisible = 0.005;  // what two digits show

std::string weight(double value) { return value < kVisible ? "." : fmt::format("{:.2f}", value); }

std::string strongest_text(const TokenMatrix& matrix, size_t row) {
  std::string text;
  for (const size_t j : strongest(matrix, row, kStrongest)) {
    if (matrix.at(row, j) >= kVisible)
      text += fmt::format("  {} {:.2f}", matrix.columns[j], matrix.at(row, j));
  }
  return text;
}

// A map alone: all of it, and each row's largest weights.
std::string map_text(const AttentionMap& map) {
  std::string text =
      fmt::format("\n{}, head {}\n\n{}\n", layer_name(map), map.head, matrix_text(map.matrix, 2, weight));
  for (size_t i = 0; i < map.matrix.rows.size(); ++i)
    text += fmt::format("  {:>12} looks at{}\n", map.matrix.rows[i], strongest_text(map.matrix, i));
  return text;
}

std::string summary_line(const AttentionMap& map) {
  const AttentionSummary s = summary_of(map.matrix);
  return fmt::format("  {:>5} {:>5} {:>8.2f} {:>6.2f} {:>9.2f} {:>6.2f} {:>6.2f} {:>6.2f}   {} → {} {:.2f}\n",
                     map.layer, map.head, s.entropy, s.same, s.previous, s.next, s.first, s.last,
                     map.matrix.rows[s.strongest_row], map.matrix.columns[s.strongest_column],
                     map.matrix.at(s.strongest_row, s.strongest_column));
}

// What the columns of summary_line() are.
constexpr const char* kLegend =
    "Means over a head's rows. entropy: of the weights, in nats; "
    "same, previous, next, first, last: the weight of the key at the query's place, "
    "one before it, one behind it, of the first and of the last key. strongest: the largest weight.";

std::string focus_lines(const AttentionMap& map) {
  std::string text;
  for (const size_t row : map.focus) {
    text += fmt::format("  {:>5} {:>5}   {}:{}\n", map.layer, map.head, map.matrix.rows[row],
                        strongest_text(map.matrix, row));
  }
  return text;
}

nlohmann::ordered_json json_of(const AttentionMap& map) {
  const AttentionSummary s = summary_of(map.matrix);
  nlohmann::ordered_json json = {{"part", map.part},           {"layer", map.layer},
                                 {"head", map.head},           {"queries", map.matrix.rows},
                                 {"keys", map.matrix.columns}, {"entropy", s.entropy}};
  if (!map.focus.empty()) json["focus"] = map.focus;
  const auto width = static_cast<int64_t>(map.matrix.columns.size());
  for (size_t i = 0; i < map.matrix.rows.size(); ++i) {
    const auto row = map.matrix.values.begin() + static_cast<int64_t>(i) * width;
    json["weights"].push_back(std::vector<double>(row, row + width));
  }
  return json;
}

}  // namespace

std::string to_text(const AttentionMaps& maps) {
  std::string text = maps.translates()
                         ? fmt::format("source       {}\ntranslation  {}\n", fmt::join(maps.source, " "),
                                       fmt::join(maps.target_out, " "))
                         : fmt::format("text  {}\n", fmt::join(maps.text(), " "));
  const bool has_summaries =
      std::ranges::any_of(maps.maps, [](const AttentionMap& map) { return map.chosen && map.focus.empty(); });
  const auto chosen = std::ranges::count_if(maps.maps, &AttentionMap::chosen);
  std::string part;
  for (const AttentionMap& map : maps.maps) {
    if (!map.chosen) continue;
    if (chosen == 1 && map.focus.empty()) return text + map_text(map);
    if (part != map.part) {
      part = map.part;
      text +=
          fmt::format("\n{}\n  layer  head{}\n", part_name(part),
                      map.focus.empty() ? "  entropy   same  previous   next  first   last   strongest" : "");
    }
    text += map.focus.empty() ? summary_line(map) : focus_lines(map);
  }
  return has_summaries ? text + "\n" + wrapped(kLegend) : text;
}

std::string to_json(const AttentionMaps& maps) {
  nlohmann::ordered_json json = {{"equation", "AT2"},
                                 {"source", maps.source},
                                 {"target_in", maps.target_in},
                                 {"target_out", maps.target_out},
                                 {"translation", maps.translation}};
  for (const AttentionMap& map : maps.maps) {
    if (map.chosen) json["maps"].push_back(json_of(map));
  }
  return json_page(json, -1);
}

}  // namespace xf::tools::explain
