#include "tools/report/html_page.h"

#include <fmt/core.h>

#include "data/unicode.h"
#include "tools/report/svg_plot.h"

namespace xf::tools {

namespace {

// A drawing keeps its size where there is room; a figure that is wider than the page scrolls by
// itself.
constexpr const char* kStyle = R"(
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 1rem; max-width: 80rem; background: #fff; color: #1a1a1a;
  font: 16px/1.5 system-ui, sans-serif; }
p { max-width: 46rem; } h1 { line-height: 1.2; } a { color: #0072B2; }
table { border-collapse: collapse; font-size: 0.9rem; } td, th { padding: 0.2rem 0.7rem; text-align: right; }
th { border-bottom: 1px solid #999; } td:first-child, th:first-child { text-align: left; }
.scroll, figure { overflow-x: auto; margin: 0; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem 1.5rem; margin: 1rem 0; align-items: flex-start; }
figure { width: min-content; max-width: 100%; } figcaption { font-size: 0.85rem; } figure a { display: block; }
figure:target, figure.large { width: 100%; max-width: 52rem; flex-basis: 100%; }
figure:target svg, figure.large svg { width: 100%; height: auto; }
summary { cursor: pointer; font-weight: 600; padding: 0.3rem 0; }
@media (prefers-color-scheme: dark) {
  body { background: #181818; color: #eee; } a { color: #56B4E9; } th { border-color: #777; }
}
)";

// Of a short text that may be a user's: from right to left where its first letter is (HTML, "The
// dir attribute").
const char* direction_of(const std::string& text) {
  return data::has_right_to_left(text) ? " dir=\"auto\"" : "";
}

std::string cells(const char* tag, const std::vector<std::string>& texts) {
  std::string row;
  for (const std::string& text : texts)
    row += fmt::format("<{0}{2}>{1}</{0}>", tag, escaped(text), direction_of(text));
  return fmt::format("<tr>{}</tr>", row);
}

std::string id_of(const std::string& anchor) {
  return anchor.empty() ? "" : fmt::format(" id=\"{}\"", escaped(anchor));
}

}  // namespace

HtmlPage::HtmlPage(std::string title) : title_(std::move(title)) {}

void HtmlPage::heading(const std::string& text, const std::string& anchor) {
  add(fmt::format("<h2{}{}>{}</h2>", id_of(anchor), direction_of(text), escaped(text)));
}

void HtmlPage::subheading(const std::string& text) {
  add(fmt::format("<h3{}>{}</h3>", direction_of(text), escaped(text)));
}

void HtmlPage::paragraph(const std::string& text) {
  add(fmt::format("<p dir=\"auto\">{}</p>", escaped(text)));
}

void HtmlPage::table(const std::vector<std::string>& head,
                     const std::vector<std::vector<std::string>>& rows) {
  add("<div class=\"scroll\"><table>" + cells("th", head));
  for (const auto& row : rows) add(cells("td", row));
  add("</table></div>");
}

void HtmlPage::figure(const Drawing& drawing, const std::string& caption, const std::string& anchor,
                      bool large) {
  const std::string picture = anchor.empty()
                                  ? drawing.element()
                                  : fmt::format("<a href=\"#{}\">{}</a>", escaped(anchor), drawing.element());
  const std::string words =
      caption.empty() ? ""
                      : fmt::format("<figcaption{}>{}</figcaption>", direction_of(caption), escaped(caption));
  add(fmt::format("<figure{}{}>{}{}</figure>", id_of(anchor), large ? " class=\"large\"" : "", picture,
                  words));
}

void HtmlPage::open_details(const std::string& summary, bool open) {
  add(fmt::format("<details{}><summary{}>{}</summary>", open ? " open" : "", direction_of(summary),
                  escaped(summary)));
}

std::string HtmlPage::html() const {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}{2}{3}</style>\n</head>\n<body>\n<h1{5}>{0}</h1>\n{4}</body>\n</html>\n",
      escaped(title_), kStyle, Drawing::rules(), style_, body_, direction_of(title_));
}

}  // namespace xf::tools
