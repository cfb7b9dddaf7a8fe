// The walk as a drawing, the chain of its steps, and as a page.
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
nav ol { list-style: none; padding: 0; } nav li { padding: .1rem 0; } nav .inner { padding-left: 1.5rem; }
a { color: rgb(var(--data)); }
code, td { font-family: ui-monospace, monospace; }
.flow { color: var(--soft); } .flow span { white-space: nowrap; }
.made { color: var(--soft); font-size: .85rem; overflow-wrap: anywhere; }
h3 { margin: 1.2rem 0 0; font-size: 1rem; }
.matrices { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; }
figure { margin: .3rem 0; max-width: 100%; overflow-x: auto; } figcaption { color: var(--soft); font-size: .8rem; }
table { border-collapse: collapse; } td { padding: .1rem .45rem; text-align: right; font-size: .8rem;
  font-variant-numeric: tabular-nums; border: 1px solid var(--line); }
@media (max-width: 30rem) { td { padding: .1rem .2rem; font-size: .7rem; } }
)";

// How deep a step's number is: 2.1.1 stands inside 2.1.
double indent_of(const WalkStep& step) {
  return std::count(step.number.begin(), step.number.end(), '.') > 1 ? kIndent : 0;
}

std::string flow_of(const WalkStep& step) {
  return fmt::format("<span class=\"flow\"><span>{}</span></span>",
                     fmt::join(step.shapes, "</span> → <span>"));
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
  std::string text = fmt::format("<section id=\"step-{0}\">\n<h2>{0} {1}</h2>\n{2}\n<p>{3}</p>\n",
                                 step.number, escaped(step.title), flow_of(step), escaped(step.text));
  for (const StepValue& value : step.values) {
    text += fmt::format(
        "<h3><code>{}</code> {}</h3>\n<div class=\"made\">({}) {} · {}:{}</div>\n<div class=\"matrices\">\n",
        value.name, value.value.shape().to_string(), value.equation, value.page, value.file, value.line);
    for (const Matrix& matrix : matrices(value.value)) text += table_of(matrix, are_probabilities(value));
    text += "</div>\n";
  }
  return text + "</section>\n";
}

// Onto the box that begins at y.
void add_arrow(Drawing& drawing, double y) {
  constexpr double kHead = 6;
  drawing.line(kWidth / 2, y - kArrow, kWidth / 2, y - kHead, "accent");
  drawing.add(fmt::format(R"(<path class="accent" d="M{0} {1} l-{2} -{2} h{3} z"/>)", kWidth / 2, y, kHead,
                          2 * kHead));
}

}  // namespace

std::string to_svg(const Walk& walk) {
  const auto count = static_cast<double>(walk.steps.size());
  Drawing drawing(kWidth, 2 * kMargin + count * (kBox + kArrow) - kArrow, "Steps of " + walk.model);
  double y = kMargin;
  for (const WalkStep& step : walk.steps) {
    const double x = kMargin + indent_of(step);
    if (y > kMargin) add_arrow(drawing, y);
    drawing.open_group(step.text);
    drawing.rect(x, y, kWidth - kMargin - x, kBox, "panel");
    drawing.text(x + 12, y + 20, fmt::format("{}  {}", step.number, step.title), "start", 14);
    drawing.text(x + 12, y + 38, fmt::format("{}", fmt::join(step.shapes, " → ")), "start", 12, "soft");
    drawing.close_group();
    y += kBox + kArrow;
  }
  return drawing.svg();
}

std::string to_html(const Walk& walk) {
  std::string contents, sections;
  for (const WalkStep& step : walk.steps) {
    contents += fmt::format("<li{}><a href=\"#step-{}\">{} {}</a> {}</li>\n",
                            indent_of(step) > 0 ? " class=\"inner\"" : "", step.number, step.number,
                            escaped(step.title), flow_of(step));
    sections += section_of(step);
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>A Transformer, step by step</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<h1>A Transformer, step by step</h1>\n<p>{}</p>\n<nav><ol>\n{}</ol></nav>\n{}</body>\n</html>\n",
      kStyle, escaped(walk.model), contents, sections);
}

}  // namespace xf::tools::explain
