// Drawings as SVG documents: no dependency, no script, readable as text. Light and dark follow the
// reader's setting.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace xf::tools {

// Things are painted by class: "ink", text and lines that carry meaning; "soft", secondary text;
// "line", thin frames; "panel", boxes; "accent", what to look at; "data", the colour whose opacity
// is a value, and "negative", that of a value below zero.
class Drawing {
 public:
  // Pixels; `title` is read out to who cannot see the drawing.
  Drawing(double width, double height, std::string title);

  // What the next elements are about, shown when the pointer rests on them; until close_group().
  void open_group(const std::string& tooltip);
  // The next elements share a class of the drawing's own (style()).
  void open_class(const std::string& css_class) { add("<g class=\"" + css_class + "\">"); }
  void close_group();
  void rect(double x, double y, double width, double height, const std::string& css_class,
            double opacity = 1);
  void line(double x1, double y1, double x2, double y2, const std::string& css_class = "line");
  // anchor: start, middle or end. size: pixels. The text is escaped.
  void text(double x, double y, const std::string& text, const std::string& anchor = "start",
            double size = 13, const std::string& css_class = "ink");
  // A curve through points (x, y).
  void curve(const std::vector<std::pair<double, double>>& points, const std::string& css_class);
  // Upwards from (x, y): names of columns.
  void text_upwards(double x, double y, const std::string& text, double size = 13);
  // Anything else, as SVG.
  void add(const std::string& element) { body_ += element + "\n"; }
  // Another drawing below this one, which grows by it.
  void append(const Drawing& below);
  // CSS of the drawing's own, behind the common rules.
  void style(const std::string& css) { style_ += css; }

  // The whole document.
  std::string svg() const { return document(std::string(rules()) + style_); }
  // The drawing alone, for a page that has the rules once (tools/report/html_page.h).
  std::string element() const { return document(style_); }
  // The CSS of the classes.
  static const char* rules();

 private:
  std::string document(const std::string& css) const;

  double width_, height_;
  std::string title_, style_, body_;
};

// Width in pixels of a text of this size, as far as an average letter tells.
double text_width(const std::string& text, double size = 13);

}  // namespace xf::tools
