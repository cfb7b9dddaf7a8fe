// A page that stands alone: text, tables and drawings in one file, without scripts, that reads well
// wide and narrow. Light and dark follow the reader's setting. Text is escaped, and stands from
// right to left where it is written so.
#pragma once

#include <string>
#include <vector>

#include "tools/report/svg.h"

namespace xf::tools {

class HtmlPage {
 public:
  explicit HtmlPage(std::string title);

  // `anchor`: what #anchor leads to; may be empty.
  void heading(const std::string& text, const std::string& anchor = "");
  void subheading(const std::string& text);
  void paragraph(const std::string& text);
  void table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);
  // Figures between open_figures() and close_figures() stand side by side as far as there is room.
  void open_figures() { add("<div class=\"figures\">"); }
  void close_figures() { add("</div>"); }
  // With an anchor the figure is a link to itself, and large when the page is read at it, or
  // always.
  void figure(const Drawing& drawing, const std::string& caption, const std::string& anchor = "",
              bool large = false);
  // What is behind `summary` until the reader opens it; until close_details().
  void open_details(const std::string& summary, bool open);
  void close_details() { add("</details>"); }
  // CSS of the page's own, behind the common rules.
  void style(const std::string& css) { style_ += css; }
  // Anything else, as HTML.
  void add(const std::string& html) { body_ += html + "\n"; }

  std::string html() const;

 private:
  std::string title_, style_, body_;
};

}  // namespace xf::tools
