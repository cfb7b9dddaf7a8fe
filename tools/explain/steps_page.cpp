// The walk as a drawing, the chain of its steps, and as a page that holds it.
#include <fmt/format.h>

#include <algorithm>

#include "tools/explain/matrices.h"
#include "tools/explain/steps.h"
#include "tools/svg.h"
#include "tools/svg_plot.h"

namespace xf::tools::explain {

namespace {

constexpr double kWidth = 620, kMargin = 16, kBox = 48, kArrow = 20, kIndent = 24;

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1a1a1a; --soft: #666; --line: #ccc; --ground: #fff; --data: 0, 114, 178; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eee; --soft: #aaa; --line: #444; --ground: #181818; --data: 86, 180, 233; }
}
body { margin: 0 auto; padding: 1rem; max-width: 60rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink);
       background: var(--ground); }
h2 { margin: 2.5rem 0 0; border-top: 1px solid var(--line); padding-top: 1rem; font-size: 1.2rem; }
svg { max-width: 100%; height: auto; }
code, td { font-family: ui-monospace, monospace; }
.flow { color: var(--soft); margin: 0; } .made { color: var(--soft); font-size: .85rem; overflow-wrap: anywhere; }
h3 { margin: 1.2rem 0 0; font-size: 1rem; }
.matrices { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; }
figure { margin: .3rem 0; max-width: 100%; overflow-x: auto; } figcaption { color: var(--soft); font-size: .8rem; }
table { border-collapse: collapse; } td { padding: .1rem .45rem; text-align: right; font-size: .8rem;
  font-variant-numeric: tabular-nums; border: 1px solid var(--line); }
)";

// How deep a step's number is: 2.1.1 stands inside 2.1.
double indent_of(const WalkStep& step) {
  return std::count(step.number.begin(), step.number.end(), '.') > 1 ? kIndent : 0;
}

bool are_probabilities(const StepValue& value) { return value.equation == "AT2"; }

std::string table_of(const Matrix& matrix, bool shaded) {
  std::string text = "<figure>";
  if (!matrix.index.empty()) text += fmt::format("<figcaption>{}</figcaption>", matrix.index);
  text += "<table>";
  for (const auto& row : matrix.rows) {
    text += "<tr>";
    for (const std::string& element : row) {
      text += shaded ? fmt::format("<td style=\"background: rgba(var(--data), {:.2f})\">{}</td>",
                                   0.6 * std::stod(element), element)
                     : fmt::format("<td>{}</td>", element);
    }
    text += "</tr>";
  }
  return text + "</table></figure>\n";
}

std::string section_of(const WalkStep& step) {
  std::string text =
      fmt::format("<section id=\"step-{0}\">\n<h2>{0} {1}</h2>\n<p class=\"flow\">{2}</p>\n<p>{3}</p>\n",
                  step.number, escaped(step.title), escaped(step.flow), escaped(step.text));
  for (const StepValue& value : step.values) {
    text += fmt::format(
        "<h3><code>{}</code> {}</h3>\n<div class=\"made\">({}) {} · {}:{}</div>\n<div class=\"matrices\">\n",
        value.name, value.value.shape().to_string(), value.equation, value.page, value.file, value.line);
    for (const Matrix& matrix : matrices(value.value)) text += table_of(matrix, are_probabilities(value));
    text += "</div>\n";
  }
  return text + "</section>\n";
}

}  // namespace

std::string to_svg(const Walk& walk) {
  const auto count = static_cast<double>(walk.steps.size());
  Drawing drawing(kWidth, 2 * kMargin + count * (kBox + kArrow) - kArrow, "Steps of " + walk.model);
  double y = kMargin;
  for (const WalkStep& step : walk.steps) {
    const double x = kMargin + indent_of(step);
    if (y > kMargin) drawing.line(kWidth / 2, y - kArrow, kWidth / 2, y, "accent");
    drawing.open_group(step.text);
    drawing.rect(x, y, kWidth - kMargin - x, kBox, "panel");
    drawing.text(x + 12, y + 20, fmt::format("{}  {}", step.number, step.title), "start", 14);
    drawing.text(x + 12, y + 38, step.flow, "start", 12, "soft");
    drawing.close_group();
    y += kBox + kArrow;
  }
  return drawing.svg();
}

std::string to_html(const Walk& walk) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>A Transformer, step by step</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<h1>A Transformer, step by step</h1>\n<p>{}</p>\n{}",
      kStyle, escaped(walk.model), to_svg(walk));
  for (const WalkStep& step : walk.steps) text += section_of(step);
  return text + "</body>\n</html>\n";
}

}  // namespace xf::tools::explain
