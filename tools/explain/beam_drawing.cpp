#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/explain/beam_tree.h"
#include "tools/report/html_page.h"
#include "tools/report/svg.h"
#include "tools/report/svg_plot.h"

namespace xf::tools::explain {

namespace {

constexpr double kRow = 40, kBox = 32, kTop = 84, kLeft = 16, kGap = 30;
constexpr size_t kFallen = 2;  // of the continuations that a step drops, the best: those that
                               // nearly lived

constexpr const char* kStyle = R"(
.faded { opacity: 0.4; } path.won { stroke: #0072B2; stroke-width: 2.5; fill: none; }
rect.won { stroke: #0072B2; stroke-width: 2; }
@media (prefers-color-scheme: dark) { path.won, rect.won { stroke: #56B4E9; } }
)";

bool dropped(const BeamTree::Node& node) {
  return node.from.fate == nn::Fate::off_beam || node.from.fate == nn::Fate::late_end ||
         node.from.fate == nn::Fate::stopped;
}

class BeamDrawing {
 public:
  explicit BeamDrawing(const BeamTree& tree)
      : tree_(tree), width_(place()), drawing_(width_, height(), "A beam search") {
    drawing_.style(kStyle);
    drawing_.text(kLeft, 24, fmt::format("{}", fmt::join(tree.source, " ")), "start", 15);
    drawing_.text(kLeft, 44,
                  fmt::format("beam {}: a column is a step, best first; "
                              "below a token the hypothesis's log-probability",
                              tree.search.beam_size),
                  "start", 11, "soft");
    draw_root();
    for (const auto& [node, box] : boxes_) draw_edge(node, box);
    for (const auto& [node, box] : boxes_) draw_box(node, box);
    draw_ranking();
  }

  const Drawing& drawing() const { return drawing_; }

 private:
  struct Box {
    double x, y, width;
  };

  // Where each node that is shown stands; the width of it all.
  double place() {
    double x = kLeft + 40 + kGap, widest = 640;
    for (int64_t n = 1; n <= tree_.steps(); ++n) {
      double width = 54, y = kTop;
      size_t fallen = 0;
      std::vector<size_t> shown;
      for (const size_t i : tree_.step(n)) {
        if (dropped(tree_.nodes[i]) && ++fallen > kFallen) continue;
        shown.push_back(i);
        width = std::max(width, text_width(tree_.nodes[i].piece, 13) + 16);
      }
      for (const size_t i : shown) {
        boxes_[i] = {x, y, width};
        y += kRow;
      }
      bottom_ = std::max(bottom_, y);
      x += width + kGap;
    }
    for (const auto& ranked : tree_.ranking) widest = std::max(widest, text_width(words_of(ranked), 13) + 60);
    return std::max(x, widest);
  }

  double height() const { return bottom_ + 44 + 22 * static_cast<double>(tree_.ranking.size()); }

  void draw_root() {
    drawing_.rect(kLeft, kTop, 40, kBox, "panel won");
    drawing_.text(kLeft + 20, kTop + 20, "<s>", "middle");
  }

  void draw_edge(size_t index, const Box& box) {
    const BeamTree::Node& node = tree_.nodes[index];
    Box parent{kLeft, kTop, 40};
    if (node.parent >= 0) parent = boxes_.at(static_cast<size_t>(node.parent));
    const double x1 = parent.x + parent.width, y1 = parent.y + kBox / 2, y2 = box.y + kBox / 2;
    drawing_.add(fmt::format(
        R"(<path class="{0}" d="M{1:.1f} {2:.1f} C{3:.1f} {2:.1f} {3:.1f} {5:.1f} {4:.1f} {5:.1f}"/>)",
        node.won    ? "won"
        : node.dead ? "line faded"
                    : "line",
        x1, y1, (x1 + box.x) / 2, box.x, y2));
  }

  void draw_box(size_t index, const Box& box) {
    const BeamTree::Node& node = tree_.nodes[index];
    const std::string tip = fmt::format(
        "{}\nrank {}, log-probability {:.4f}\n{}", tree_.path(static_cast<int64_t>(index)),
        node.from.rank + 1, node.from.log_probability, words_for(node.from.fate, tree_.search.beam_size));
    drawing_.add(
        fmt::format("<g class=\"{}\"><title>{}</title>", node.dead ? "faded" : "alive", escaped(tip)));
    drawing_.rect(box.x, box.y, box.width, kBox, node.won ? "panel won" : dropped(node) ? "ground" : "panel");
    drawing_.text(box.x + box.width / 2, box.y + 15, node.piece, "middle", 13,
                  dropped(node) ? "soft" : "ink");
    drawing_.text(box.x + box.width / 2, box.y + 28, fmt::format("{:.2f}", node.from.log_probability),
                  "middle", 10, "soft");
    drawing_.close_group();
  }

  std::string words_of(const BeamTree::Ranked& ranked) const {
    return fmt::format("{:.3f} / {}^{:g} = {:.3f}   {}{}", ranked.hypothesis.log_probability, ranked.tokens,
                       tree_.search.normalize, ranked.hypothesis.score, ranked.text,
                       ranked.hypothesis.cut ? " (cut)" : "");
  }

  void draw_ranking() {
    double y = bottom_ + 24;
    drawing_.text(kLeft, y, fmt::format("score = log p / n^{:g}, n counts </s>", tree_.search.normalize),
                  "start", 11, "soft");
    for (size_t i = 0; i < tree_.ranking.size(); ++i) {
      y += 22;
      drawing_.text(kLeft, y, fmt::format("{}.", i + 1), "start", 13, i == 0 ? "accent" : "ink");
      drawing_.text(kLeft + 28, y, words_of(tree_.ranking[i]), "start", 13, i == 0 ? "accent" : "ink");
    }
  }

  const BeamTree& tree_;
  std::map<size_t, Box> boxes_;
  double bottom_ = kTop;
  const double width_;  // behind what place() sets
  Drawing drawing_;
};

std::vector<std::string> row_of(const BeamTree& tree, const BeamTree::Node& node) {
  return {node.parent < 0 ? "<s>" : tree.path(node.parent), node.piece, std::to_string(node.from.rank + 1),
          fmt::format("{:.4f}", node.from.log_probability), words_for(node.from.fate, tree.search.beam_size)};
}

}  // namespace

std::string to_svg(const BeamTree& tree) { return BeamDrawing(tree).drawing().svg(); }

std::string to_html(const BeamTree& tree) {
  HtmlPage page("Beam search: " + tree.ranking.front().text);
  page.paragraph(
      fmt::format("Each step ranks all continuations by the log-probability of the whole hypothesis. "
                  "A </s> among the first {0} ends its hypothesis; the first {0} others live on. "
                  "Faded: what led to no end, and the first {1} that fell off.",
                  tree.search.beam_size, kFallen));
  page.figure(BeamDrawing(tree).drawing(), "");
  page.heading("Ranking");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [hypothesis, tokens, text] : tree.ranking) {
    rows.push_back({text + (hypothesis.cut ? " (cut)" : ""),
                    fmt::format("{:.4f}", hypothesis.log_probability), std::to_string(tokens),
                    fmt::format("{:.4f}", hypothesis.score)});
  }
  page.table({"translation", "log p", "n", fmt::format("log p / n^{:g}", tree.search.normalize)}, rows);
  page.heading("Steps");
  for (int64_t n = 1; n <= tree.steps(); ++n) {
    rows.clear();
    for (const size_t i : tree.step(n)) rows.push_back(row_of(tree, tree.nodes[i]));
    page.open_details(fmt::format("step {}", n), false);
    page.table({"hypothesis", "token", "rank", "log p", "what becomes of it"}, rows);
    page.close_details();
  }
  return page.html();
}

}  // namespace xf::tools::explain
