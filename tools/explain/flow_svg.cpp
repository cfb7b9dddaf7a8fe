// The picture of a flow. What moves is the style sheet's: the drawing itself is the finished
// picture.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/explain/flow.h"
#include "tools/explain/flow_layout.h"
#include "tools/report/svg.h"

namespace xf::tools::explain {

namespace {

// The style sheet of a flow's picture: colours, and the animation, of elements with these classes
// and that of their tick:
//   appears there from its tick on
//   glow    there during its tick
//   packet  moves to its place, from the offset (--x, --y), as its tick begins
// The animation is for readers who did not ask for less motion; without it what appears is there
// and the others are not.

// Cells are strokes as thick as they are high: the shortest way to write many of them.
constexpr const char* kColours = R"(
.cells path { stroke: #0072B2; } .cells .n { stroke: #D55E00; }
.field { fill: #fff; stroke: #999; stroke-width: .5; } .hatch { stroke: #888; stroke-width: .8; }
.glow { fill: none; stroke: #0072B2; stroke-width: 2.5; } .packet { fill: #0072B2; }
.glow, .packet { opacity: 0; }
@media (prefers-color-scheme: dark) {
  .cells path { stroke: #56B4E9; } .cells .n { stroke: #F0864A; }
  .field { fill: #181818; stroke: #777; } .hatch { stroke: #999; }
  .glow { stroke: #56B4E9; } .packet { fill: #56B4E9; }
}
)";

// Every tick has three animations: data comes to stay (d), the box glows (g), a packet arrives on
// an arrow (p), from (--x, --y) off the place where it is drawn.
std::string animation(const Flow& flow) {
  const double second_per_tick = flow.stepwise ? 0.4 : 1.1, pause = 4;
  const auto ticks = static_cast<double>(flow.ticks());
  const double duration = ticks * second_per_tick + pause;
  std::string css = fmt::format(
      "@media (prefers-reduced-motion: no-preference) {{\n"
      ".appears, .glow, .packet {{ animation: {:.1f}s linear infinite; }}\n",
      duration);
  for (int64_t tick = 0; tick < flow.ticks(); ++tick) {
    const auto at = [&](double fraction) {
      return 100 * (static_cast<double>(tick) + fraction) * second_per_tick / duration;
    };
    css += fmt::format(
        ".appears.t{0} {{ animation-name: d{0}; "
        "}} .glow.t{0} {{ animation-name: g{0}; }} .packet.t{0} {{ animation-name: p{0}; }}\n"
        "@keyframes d{0} {{ 0%, {2:.2f}% {{ opacity: 0; }} {3:.2f}%, 100% {{ opacity: 1; }} }}\n"
        "@keyframes g{0} {{ 0%, {1:.2f}% {{ opacity: 0; "
        "}} {2:.2f}%, {4:.2f}% {{ opacity: 1; }} {5:.2f}%, 100% {{ opacity: 0; }} }}\n"
        "@keyframes p{0} {{ 0%, {1:.2f}% {{ opacity: 0; transform: translate(var(--x), var(--y)); "
        "}} {6:.2f}% {{ opacity: 1; transform: translate(var(--x), var(--y)); }} {2:.2f}% {{ opacity: 1; "
        "transform: none; }} {3:.2f}%, 100% {{ opacity: 0; transform: none; }} }}\n",
        tick, at(0), at(0.4), at(0.6), at(1), at(1.2), at(0.01));
  }
  return css + "}\n";
}

std::string flow_style(const Flow& flow) { return kColours + animation(flow); }

using Box = FlowLayout::Box;

// The block that all of a stage's values come from, or the one around them.
std::string common_block(const FlowStage& stage) {
  std::string common;
  for (const FlowMatrix& matrix : stage.matrices) {
    const std::string& block = matrix.behind.empty() ? matrix.block : matrix.behind;
    if (block.empty()) continue;
    if (common.empty()) common = block;
    while (!(block + ".").starts_with(common + ".")) common.resize(common.rfind('.'));
  }
  return common;
}

class FlowPicture {
 public:
  explicit FlowPicture(const Flow& flow)
      : flow_(flow),
        layout_(flow),
        drawing_(FlowLayout::kWidth, layout_.height, fmt::format("{}. {}", flow.title, flow.model)) {}

  std::string svg();

 private:
  void box(size_t s);
  void note(const FlowStage& stage, const Box& box);
  void words(size_t s);
  void matrices(size_t s);
  void matrix(size_t s, const FlowMatrix& matrix, double x);
  void names(const FlowMatrix& matrix, const Box& box, double x, bool of_rows);
  void rows(const FlowMatrix& matrix, const Box& box, double x, int64_t begin, int64_t end, int64_t tick);
  void hatch(const FlowMatrix& matrix, const Box& box, double x);
  void arrow(size_t s);
  void memory_line();
  void line_back();
  void packet(double x, double y, double from_x, double from_y, int64_t tick);
  void arrow_head(double x, double y, int dx, int dy);

  bool by_row(size_t s) const { return flow_.stepwise && s > 0; }

  const Flow& flow_;
  const FlowLayout layout_;
  Drawing drawing_;
};

std::string FlowPicture::svg() {
  drawing_.style(flow_style(flow_));
  drawing_.text(FlowLayout::kLeft, 24, flow_.title, "start", 16);
  drawing_.text(FlowLayout::kLeft, 42, clipped(flow_.model, FlowLayout::kWidth - 2 * FlowLayout::kLeft, 11),
                "start", 11, "soft");
  for (size_t s = 0; s < flow_.stages.size(); ++s) {
    box(s);
    flow_.stages[s].words.empty() ? matrices(s) : words(s);
    if (s > 0) arrow(s);
  }
  memory_line();
  if (flow_.stepwise) line_back();
  drawing_.text(FlowLayout::kLeft, layout_.height - 14,
                "Blue: positive, orange: negative; the fuller, the larger. At most 16 columns and 12 rows.",
                "start", 9.5, "soft");
  return drawing_.svg();
}

void FlowPicture::box(size_t s) {
  const FlowStage& stage = flow_.stages[s];
  const Box& box = layout_.boxes[s];
  constexpr double kWide = FlowLayout::kRight - FlowLayout::kLeft;
  drawing_.rect(FlowLayout::kLeft, box.top, kWide, box.height, "panel");
  for (int64_t row = 0; row < (by_row(s) ? flow_.rows() : 1); ++row) {
    drawing_.rect(FlowLayout::kLeft, box.top, kWide, box.height, fmt::format("glow t{}", flow_.tick(s, row)));
  }
  drawing_.text(FlowLayout::kText, box.top + 16, stage.title);
  if (!stage.matrices.empty())
    drawing_.text(FlowLayout::kEnd, box.top + 15, common_block(stage), "end", 10, "soft");
}

void FlowPicture::note(const FlowStage& stage, const Box& box) {
  double y = box.top + FlowLayout::kHeader + 11;
  for (const std::string& line : wrapped(stage.note, FlowLayout::kNote, 10)) {
    drawing_.text(FlowLayout::kText, y, line, "start", 10, "soft");
    y += FlowLayout::kLine;
  }
}

void FlowPicture::words(size_t s) {
  const FlowStage& stage = flow_.stages[s];
  const Box& box = layout_.boxes[s];
  const double size = box.slot < 50 ? 9 : 11;
  for (int64_t i = 0; i < drawn(std::ssize(stage.words)); ++i) {
    const FlowWord& word = stage.words[static_cast<size_t>(i)];
    const double x = FlowLayout::kText + static_cast<double>(i) * box.slot,
                 y = box.top + FlowLayout::kHeader + 4;
    drawing_.rect(x, y, box.slot - 4, 22, "field");
    drawing_.open_class(fmt::format("appears t{}", flow_.tick(s, i)));
    drawing_.open_group(word.text);
    drawing_.text(x + box.slot / 2 - 2, y + 15, clipped(word.text, box.slot - 6, size), "middle", size);
    if (word.number)
      drawing_.text(x + box.slot / 2 - 2, y + 36, fmt::format("{:.2f}", *word.number), "middle", 10,
                    "accent");
    drawing_.close_group();
    drawing_.close_group();
  }
}

void FlowPicture::matrices(size_t s) {
  const FlowStage& stage = flow_.stages[s];
  const Box& box = layout_.boxes[s];
  note(stage, box);
  for (size_t m = 0; m < stage.matrices.size(); ++m) {
    matrix(s, stage.matrices[m], box.x[m]);
    if (box.named) names(stage.matrices[m], box, box.x[m], m == 0);
  }
}

void FlowPicture::matrix(size_t s, const FlowMatrix& matrix, double x) {
  const Box& box = layout_.boxes[s];
  const double label = box.top + FlowLayout::kHeader + 9;
  const int64_t count = drawn(matrix.value.rows());
  drawing_.open_group(fmt::format("{} ({}) {}", matrix.block, matrix.equation, matrix.shape.to_string()));
  drawing_.text(x, label, first_label(matrix), "start", kFirstLabel);
  drawing_.text(x, label + 11, second_label(matrix), "start", kSecondLabel, "soft");
  drawing_.rect(x, box.y, static_cast<double>(matrix.columns.size()) * box.cell_width,
                static_cast<double>(count) * box.cell_height, "field");
  if (by_row(s) && !matrix.at_once) {
    for (int64_t row = 0; row < count; ++row) rows(matrix, box, x, row, row + 1, flow_.tick(s, row));
  } else {
    rows(matrix, box, x, 0, count, flow_.tick(s, 0));
  }
  if (matrix.causal) hatch(matrix, box, x);
  drawing_.close_group();
}

// Where words come one by one, so do the names of rows, and of keys that are the same words.
void FlowPicture::names(const FlowMatrix& matrix, const Box& box, double x, bool of_rows) {
  const double size = std::min(10.0, box.cell_width);
  const auto open = [&](size_t word, bool one_by_one) {
    drawing_.open_class(one_by_one ? fmt::format("appears t{}", flow_.tick(1, static_cast<int64_t>(word)))
                                   : "names");
  };
  for (size_t c = 0; c < matrix.column_names.size(); ++c) {
    open(c, flow_.stepwise && matrix.causal);
    drawing_.text_upwards(x + (static_cast<double>(c) + 0.5) * box.cell_width + size / 3, box.y - 4,
                          clipped(matrix.column_names[c], FlowLayout::kNames - 6, size), size);
    drawing_.close_group();
  }
  for (size_t r = 0; of_rows && std::cmp_less(r, drawn(matrix.value.rows())); ++r) {
    open(r, flow_.stepwise);
    drawing_.text(x - 5, box.y + (static_cast<double>(r) + 0.5) * box.cell_height + 3.5,
                  clipped(matrix.row_names[r], FlowLayout::kNames - 6, 10), "end", 10);
    drawing_.close_group();
  }
}

void FlowPicture::rows(const FlowMatrix& matrix, const Box& box, double x, int64_t begin, int64_t end,
                       int64_t tick) {
  const auto values = matrix.value.to_vector<float>();
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::isfinite(value) ? std::abs(value) : 0);
  std::string cells;
  for (int64_t r = begin; r < end; ++r) {
    for (size_t c = 0; c < matrix.columns.size(); ++c) {
      if (matrix.causal && matrix.columns[c] > r) continue;
      const float value = values[static_cast<size_t>(r * matrix.value.width() + matrix.columns[c])];
      cells += fmt::format(R"(<path{} d="M{:.5g} {:.5g}h{:.4g}" opacity="{:.2f}"/>)",
                           value < 0 ? R"( class="n")" : "", x + static_cast<double>(c) * box.cell_width,
                           box.y + (static_cast<double>(r) + 0.5) * box.cell_height, box.cell_width,
                           largest > 0 ? std::abs(value) / largest : 0.0f);
    }
  }
  drawing_.add(fmt::format(R"(<g class="cells appears t{}" stroke-width="{:.4g}">{}</g>)", tick,
                           box.cell_height, cells));
}

void FlowPicture::hatch(const FlowMatrix& matrix, const Box& box, double x) {
  std::string strokes;
  for (int64_t r = 0; r < drawn(matrix.value.rows()); ++r) {
    for (size_t c = 0; c < matrix.columns.size(); ++c) {
      if (matrix.columns[c] <= r) continue;
      strokes += fmt::format("M{:.5g} {:.5g}l{:.4g} {:.4g}", x + static_cast<double>(c) * box.cell_width + 1,
                             box.y + static_cast<double>(r + 1) * box.cell_height - 1, box.cell_width - 2,
                             2 - box.cell_height);
    }
  }
  drawing_.add(fmt::format(R"(<path class="hatch" d="{}"/>)", strokes));
}

void FlowPicture::arrow(size_t s) {
  if (flow_.stages[s - 1].is_memory) return;  // it goes by the line on the left
  constexpr double kMiddle = (FlowLayout::kLeft + FlowLayout::kRight) / 2;
  const double from = layout_.boxes[s - 1].bottom(), to = layout_.boxes[s].top;
  drawing_.line(kMiddle, from, kMiddle, to);
  arrow_head(kMiddle, to, 0, 1);
  for (int64_t row = 0; row < (by_row(s) ? flow_.rows() : 1); ++row)
    packet(kMiddle, to - 3, 0, from - to, flow_.tick(s, row));
}

// From the memory to each stage that reads it, left of the boxes.
void FlowPicture::memory_line() {
  const auto memory = std::ranges::find_if(flow_.stages, &FlowStage::is_memory);
  if (memory == flow_.stages.end()) return;
  constexpr double kX = FlowLayout::kLeft / 2;
  const double from = layout_.boxes[static_cast<size_t>(memory - flow_.stages.begin())].middle();
  double last = from;
  for (size_t s = 0; s < flow_.stages.size(); ++s) {
    if (!flow_.stages[s].reads_memory) continue;
    const double to = layout_.boxes[s].middle();
    drawing_.line(kX, to, FlowLayout::kLeft, to);
    arrow_head(FlowLayout::kLeft, to, 1, 0);
    packet(kX, to, 0, from - to, flow_.tick(s, 0));
    last = to;
  }
  drawing_.line(FlowLayout::kLeft, from, kX, from);
  drawing_.line(kX, from, kX, last);
}

// The chosen word becomes the next input, right of the boxes.
void FlowPicture::line_back() {
  constexpr double kX = (FlowLayout::kRight + FlowLayout::kWidth) / 2;
  const double from = layout_.boxes.back().middle(), to = layout_.boxes[1].middle();
  drawing_.line(FlowLayout::kRight, from, kX, from);
  drawing_.line(kX, from, kX, to);
  drawing_.line(kX, to, FlowLayout::kRight, to);
  arrow_head(FlowLayout::kRight, to, -1, 0);
  for (int64_t row = 1; row < flow_.rows(); ++row) packet(kX, to, 0, from - to, flow_.tick(1, row));
}

void FlowPicture::packet(double x, double y, double from_x, double from_y, int64_t tick) {
  drawing_.add(fmt::format(
      R"(<circle class="packet t{}" cx="{:.1f}" cy="{:.1f}" r="4" style="--x:{:.1f}px;--y:{:.1f}px"/>)", tick,
      x, y, from_x, from_y));
}

void FlowPicture::arrow_head(double x, double y, int dx, int dy) {
  constexpr double kLength = 6, kHalf = 3.5;
  const double x0 = x - dx * kLength, y0 = y - dy * kLength;
  drawing_.add(fmt::format(R"(<path class="soft" d="M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}z"/>)", x, y,
                           x0 - dy * kHalf, y0 - dx * kHalf, x0 + dy * kHalf, y0 + dx * kHalf));
}

}  // namespace

std::string to_svg(const Flow& flow) { return FlowPicture(flow).svg(); }

}  // namespace xf::tools::explain
