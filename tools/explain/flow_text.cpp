// A flow as text, JSON and a page.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/explain/flow.h"
#include "tools/explain/page.h"
#include "tools/report/html_page.h"
#include "tools/report/svg_plot.h"

namespace xf::tools::explain {

namespace {

std::string line_of(const FlowMatrix& matrix) {
  auto values = matrix.value.to_vector<float>();
  std::erase_if(values, [](float value) { return std::isinf(value); });  // masked
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return fmt::format("      {:<5}{:<14}{:<16}{:>8.3f} to {:>6.3f}   {}\n", matrix.equation, matrix.label,
                     matrix.value.shape().to_string(), values.empty() ? 0 : *least,
                     values.empty() ? 0 : *most, matrix.block);
}

std::string line_of(const std::vector<FlowWord>& words) {
  std::string line = "     ";
  for (const FlowWord& word : words) {
    line += " " + word.text;
    if (word.number) line += fmt::format(" {:.3f}", *word.number);
  }
  return line + "\n";
}

nlohmann::ordered_json json_of(const FlowMatrix& matrix) {
  const auto values = matrix.value.to_vector<float>();
  auto rows = nlohmann::ordered_json::array();
  for (int64_t r = 0; r < matrix.value.rows(); ++r) {
    std::vector<float> row;
    for (const int64_t c : matrix.columns)
      row.push_back(values[static_cast<size_t>(r * matrix.value.width() + c)]);
    rows.push_back(row);
  }
  return {{"label", matrix.label},
          {"block", matrix.block},
          {"equation", matrix.equation},
          {"symbol", matrix.symbol},
          {"traced_shape", extents_of(matrix.shape)},
          {"shape", extents_of(matrix.value.shape())},
          {"columns", matrix.columns},
          {"rows", rows}};
}

nlohmann::ordered_json json_of(const FlowWord& word) {
  nlohmann::ordered_json json = {{"word", word.text}};
  if (word.number) json["number"] = *word.number;
  return json;
}

}  // namespace

std::string to_text(const Flow& flow) {
  std::string text = fmt::format("{}: {}\n", flow.title, flow.model);
  for (size_t s = 0; s < flow.stages.size(); ++s) {
    const FlowStage& stage = flow.stages[s];
    text += fmt::format("\n{:>3}   {}{}{}\n", s + 1, stage.title, stage.note.empty() ? "" : ": ", stage.note);
    for (const FlowMatrix& matrix : stage.matrices) text += line_of(matrix);
    if (!stage.words.empty()) text += line_of(stage.words);
  }
  if (flow.stepwise)
    text += fmt::format("\nStages 2 to {} once for each word; the word goes back into stage 2.\n",
                        flow.stages.size());
  return text;
}

std::string to_json(const Flow& flow) {
  nlohmann::ordered_json stages = nlohmann::ordered_json::array();
  for (size_t s = 0; s < flow.stages.size(); ++s) {
    const FlowStage& stage = flow.stages[s];
    nlohmann::ordered_json json = {{"title", stage.title}, {"note", stage.note}};
    for (int64_t row = 0; row < flow.rows(); ++row) json["ticks"].push_back(flow.tick(s, row));
    for (const FlowMatrix& matrix : stage.matrices) json["matrices"].push_back(json_of(matrix));
    for (const FlowWord& word : stage.words) json["words"].push_back(json_of(word));
    stages.push_back(std::move(json));
  }
  const nlohmann::ordered_json json = {{"subject", flow.subject},
                                       {"title", flow.title},
                                       {"model", flow.model},
                                       {"stepwise", flow.stepwise},
                                       {"stages", stages}};
  return json_page(json);
}

std::string to_html(const Flow& flow) {
  HtmlPage page(flow.title);
  page.style("svg { max-width: 100%; height: auto; }\n");
  page.add(to_svg(flow));
  page.add(fmt::format("<div class=\"scroll\"><pre>{}</pre></div>", escaped(to_text(flow))));
  return page.html();
}

}  // namespace xf::tools::explain
