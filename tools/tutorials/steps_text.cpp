// The walk as text, 100 columns wide, and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/explain/matrices.h"
#include "tools/explain/page.h"
#include "tools/tutorials/steps.h"

namespace xf::tools::explain {

namespace {

constexpr size_t kMargin = 2;
constexpr size_t kGap = 3;  // between matrices side by side

// Its lines, of equal length: the index, then the rows.
std::vector<std::string> lines_of(const Matrix& matrix, size_t cell) {
  std::vector<std::string> lines;
  if (!matrix.index.empty()) lines.push_back(matrix.index);
  size_t width = 0;
  for (const auto& row : matrix.rows) {
    std::string line;
    for (const std::string& element : row)
      line += fmt::format("{:>{}}", element, cell + (line.empty() ? 0 : 1));
    width = std::max(width, line.size());
    lines.push_back(std::move(line));
  }
  for (std::string& line : lines) line.resize(std::max(width, matrix.index.size()), ' ');
  return lines;
}

size_t widest_element(const std::vector<Matrix>& all) {
  size_t widest = 0;
  for (const Matrix& matrix : all) {
    for (const auto& row : matrix.rows) {
      for (const std::string& element : row) widest = std::max(widest, element.size());
    }
  }
  return widest;
}

// Side by side, in bands of equally many that the columns hold.
std::string side_by_side(const std::vector<Matrix>& all) {
  const size_t cell = widest_element(all), width = lines_of(all[0], cell)[0].size();
  size_t in_band = std::clamp<size_t>((kPageColumns - kMargin + kGap) / (width + kGap), 1, all.size());
  while (all.size() % in_band != 0) --in_band;
  std::string text;
  for (size_t first = 0; first < all.size(); first += in_band) {
    std::vector<std::string> band(lines_of(all[first], cell).size());
    for (size_t m = first; m < first + in_band; ++m) {
      const auto lines = lines_of(all[m], cell);
      for (size_t i = 0; i < lines.size(); ++i)
        band[i] += std::string(m == first ? kMargin : kGap, ' ') + lines[i];
    }
    for (const std::string& line : band) text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

// What a value is and who made it, on two lines where one is too narrow.
std::string heading(const StepValue& value) {
  const std::string what = fmt::format("  {:<12}{:<14}({})  {}", value.name, value.value.shape().to_string(),
                                       value.equation, value.page),
                    line = fmt::format("{}:{}", value.file, value.line);
  return what + (what.size() + 2 + line.size() <= kPageColumns ? "  " : "\n    ") + line;
}

nlohmann::ordered_json json_of(const Tensor& tensor) {
  nlohmann::ordered_json json = {{"shape", extents_of(tensor.shape())}};
  if (tensor.dtype() == DType::i32) {
    json["value"] = tensor.to_vector<int32_t>();
  } else {
    json["value"] = tensor.to_vector<double>();
  }
  return json;
}

nlohmann::ordered_json json_of(const StepValue& value) {
  nlohmann::ordered_json json = {{"name", value.name},
                                 {"equation", value.equation},
                                 {"page", value.page},
                                 {"file", value.file},
                                 {"line", value.line}};
  json.update(json_of(value.value));
  return json;
}

}  // namespace

std::string to_text(const Walk& walk) {
  std::string text = walk.model + "\n";
  for (const WalkStep& step : walk.steps) {
    text += fmt::format("\n{}  {}   {}\n", step.number, step.title, fmt::join(step.shapes, " -> ")) +
            wrapped(step.text, kMargin);
    for (const StepValue& value : step.values) {
      text += "\n" + heading(value) + "\n" + side_by_side(matrices(value.value));
    }
  }
  return text;
}

std::string to_json(const Walk& walk) {
  nlohmann::ordered_json json = {{"model", walk.model}};
  for (const WalkStep& step : walk.steps) {
    nlohmann::ordered_json values;
    for (const StepValue& value : step.values) values.push_back(json_of(value));
    json["steps"].push_back({{"number", step.number},
                             {"title", step.title},
                             {"shapes", step.shapes},
                             {"text", step.text},
                             {"values", std::move(values)}});
  }
  for (const auto& [name, tensor] : walk.parameters) json["parameters"][name] = json_of(tensor);
  return json_page(json, 1);
}

}  // namespace xf::tools::explain
