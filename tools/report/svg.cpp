#include "tools/report/svg.h"

#include <fmt/core.h>

#include <algorithm>

#include "data/unicode.h"
#include "tools/report/svg_plot.h"

namespace xf::tools {

namespace {

// Okabe and Ito's blue and vermilion, as in the plots; lighter on dark ground.
constexpr const char* kStyle = R"(
text { font-family: system-ui, sans-serif; }
.ink { fill: #1a1a1a; } .soft { fill: #666; } .accent { fill: #0072B2; }
.line { stroke: #999; stroke-width: 1; fill: none; } line.ink { stroke: #1a1a1a; stroke-width: 1.5; }
line.accent { stroke: #0072B2; stroke-width: 2; } .panel { fill: #f4f4f4; stroke: #999; }
.ground { fill: #fff; } .data { fill: #0072B2; } .negative { fill: #D55E00; } .on-data { fill: #fff; }
.cells rect { stroke: #888; stroke-opacity: 0.4; stroke-width: 0.5; } polyline { fill: none; stroke-width: 1.5; }
@media (prefers-color-scheme: dark) {
  .ink { fill: #eee; } .soft { fill: #aaa; } .accent { fill: #56B4E9; }
  .line { stroke: #777; } line.ink { stroke: #eee; } line.accent { stroke: #56B4E9; }
  .panel { fill: #2a2a2a; stroke: #777; } .ground { fill: #181818; } .data { fill: #56B4E9; } .negative { fill: #E69F00; }
  .on-data { fill: #000; }
}
)";

}  // namespace

Drawing::Drawing(double width, double height, std::string title)
    : width_(width), height_(height), title_(std::move(title)) {}

void Drawing::open_group(const std::string& tooltip) {
  add(fmt::format("<g><title>{}</title>", escaped(tooltip)));
}

void Drawing::close_group() { add("</g>"); }

void Drawing::rect(double x, double y, double width, double height, const std::string& css_class,
                   double opacity) {
  const std::string paint = opacity == 1 ? "" : fmt::format(R"( fill-opacity="{:.3g}")", opacity);
  add(fmt::format(R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"{}/>)", css_class,
                  x, y, width, height, paint));
}

void Drawing::line(double x1, double y1, double x2, double y2, const std::string& css_class) {
  add(fmt::format(R"(<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", css_class, x1, y1,
                  x2, y2));
}

namespace {

// The order of a text's words and signs is its own, where that may be from right to left; its
// anchor stays where it is.
const char* order_of(const std::string& text) {
  return data::has_right_to_left(text) ? " unicode-bidi=\"plaintext\"" : "";
}

}  // namespace

void Drawing::text(double x, double y, const std::string& text, const std::string& anchor, double size,
                   const std::string& css_class) {
  add(fmt::format(R"(<text class="{}" x="{:.1f}" y="{:.1f}" font-size="{:g}" text-anchor="{}"{}>{}</text>)",
                  css_class, x, y, size, anchor, order_of(text), escaped(text)));
}

void Drawing::text_upwards(double x, double y, const std::string& text, double size) {
  add(fmt::format(
      R"svg(<text class="ink" x="{0:.1f}" y="{1:.1f}" font-size="{2:g}" transform="rotate(-90 {0:.1f} {1:.1f})"{4}>{3}</text>)svg",
      x, y, size, escaped(text), order_of(text)));
}

void Drawing::curve(const std::vector<std::pair<double, double>>& points, const std::string& css_class) {
  std::string path;
  for (const auto& [x, y] : points) path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x, y);
  add(fmt::format(R"(<polyline class="{}" points="{}"/>)", css_class, path));
}

void Drawing::append(const Drawing& below) {
  add(fmt::format("<g transform=\"translate(0 {:g})\">\n{}</g>", height_, below.body_));
  style_ += below.style_;
  width_ = std::max(width_, below.width_);
  height_ += below.height_;
}

const char* Drawing::rules() { return kStyle; }

std::string Drawing::document(const std::string& css) const {
  const std::string style = css.empty() ? "" : fmt::format("<style>{}</style>\n", css);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" role=\"img\">\n"
      "<title>{2}</title>\n{3}<rect class=\"ground\" width=\"{0:g}\" height=\"{1:g}\"/>\n{4}</svg>\n",
      width_, height_, escaped(title_), style, body_);
}

double text_width(const std::string& text, double size) {
  constexpr double kLetter =
      0.62;  // of the size, a wide sans-serif's average: rather too much room than too little
  return kLetter * size * static_cast<double>(data::to_utf32(text).size());
}

}  // namespace xf::tools
