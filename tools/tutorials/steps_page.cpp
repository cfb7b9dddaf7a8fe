// The walk as a drawing, the chain of its steps, and as a page.
#include <fmt/format.h>

#include <algorithm>

#include "tools/explain/matrices.h"
#include "tools/report/html_page.h"
#include "tools/report/svg.h"
#include "tools/report/svg_plot.h"
#include "tools/tutorials/steps.h"

namespace xf::tools::explain {

namespace {

constexpr double kWidth = 620, kMargin = 16, kBox = 48, kArrow = 20, kIndent = 24;

// Tables of numbers, side by side as far as there is room.
constexpr const char* kStyle = R"(
nav ol { list-style: none; padding: 0; } nav .inner { padding-left: 1.5rem; }
.flow, .made, figcaption { opacity: 0.7; } .flow span { white-space: nowrap; }
.made { font-size: .85rem; overflow-wrap: anywhere; }
h3 { margin: 1.2rem 0 0; font-size: 1rem; } .figures { margin: .3rem 0; }
td { padding: .1rem .45rem; font: .8rem ui-monospace, monospace; text-align: right !important; white-space: nowrap;
  border: 1px solid rgba(128, 128, 128, 0.4); }
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
      text += shaded ? fmt::format("<td style=\"background: rgba(0, 114, 178, {:.2f})\">{}</td>",
                                   0.6 * std::stod(element), element)
                     : fmt::format("<td>{}</td>", element);
    }
    text += "</tr>";
  }
  return text + "</table></figure>";
}

void add_step(HtmlPage& page, const WalkStep& step) {
  page.heading(fmt::format("{} {}", step.number, step.title), "step-" + step.number);
  page.add(flow_of(step));
  page.paragraph(step.text);
  for (const StepValue& value : step.values) {
    page.subheading(fmt::format("{} {}", value.name, value.value.shape().to_string()));
    page.add(fmt::format("<div class=\"made\">({}) {} · {}:{}</div>", value.equation, value.page, value.file,
                         value.line));
    page.open_figures();
    for (const Matrix& matrix : matrices(value.value)) page.add(table_of(matrix, are_probabilities(value)));
    page.close_figures();
  }
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
  HtmlPage page("A Transformer, step by step");
  page.style(kStyle);
  page.paragraph(walk.model);
  page.add("<nav><ol>");
  for (const WalkStep& step : walk.steps) {
    page.add(fmt::format("<li{}><a href=\"#step-{}\">{} {}</a> {}</li>",
                         indent_of(step) > 0 ? " class=\"inner\"" : "", step.number, step.number,
                         escaped(step.title), flow_of(step)));
  }
  page.add("</ol></nav>");
  for (const WalkStep& step : walk.steps) add_step(page, step);
  return page.html();
}

}  // namespace xf::tools::explain
