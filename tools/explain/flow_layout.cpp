#include "tools/explain/flow_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "data/unicode.h"
#include "tools/report/svg.h"

namespace xf::tools::explain {

namespace {

constexpr double kCellHeight = 8, kLargestCell = 13, kWidestSlot = 80;

FlowLayout::Box words_box(const FlowStage& stage) {
  FlowLayout::Box box;
  const auto count = static_cast<double>(drawn(std::ssize(stage.words)));
  box.slot = std::min(kWidestSlot, (FlowLayout::kEnd - FlowLayout::kText) / count);
  box.height = FlowLayout::kHeader + 34 + (stage.words.front().number ? 16 : 0);
  return box;
}

double label_width(const FlowMatrix& matrix) {
  return std::max(text_width(first_label(matrix), kFirstLabel),
                  text_width(second_label(matrix), kSecondLabel));
}

// The width of a cell, `most` or less, with which matrices fit side by side into `room`: one whose
// label is wider than its cells takes the label's width. A smaller cell may leave more labels wider
// than their cells, hence the passes.
double cell_width(const std::vector<FlowMatrix>& matrices, double most, double room) {
  double cell = most;
  for (size_t pass = 0; pass < matrices.size(); ++pass) {
    double labels = 0, columns = 0;
    for (const FlowMatrix& matrix : matrices) {
      const auto count = static_cast<double>(matrix.columns.size());
      (label_width(matrix) > count * cell ? labels : columns) +=
          label_width(matrix) > count * cell ? label_width(matrix) : count;
    }
    if (columns > 0) cell = std::min(cell, (room - labels) / columns);
  }
  return std::max(cell, 1.0);
}

FlowLayout::Box matrices_box(const FlowStage& stage) {
  FlowLayout::Box box;
  const FlowMatrix& first = stage.matrices.front();
  box.named = !first.row_names.empty();
  double x = FlowLayout::kMatrices + (box.named ? FlowLayout::kNames : 0);
  int64_t rows = 0;
  for (const FlowMatrix& matrix : stage.matrices) rows = std::max(rows, drawn(matrix.value.rows()));
  const double between = FlowLayout::kBetween * static_cast<double>(stage.matrices.size() - 1);
  box.cell_width = cell_width(stage.matrices, box.named ? kLargestCell : 10, FlowLayout::kEnd - x - between);
  box.cell_height = box.named ? std::max(box.cell_width, kLargestCell - 2) : kCellHeight;
  for (const FlowMatrix& matrix : stage.matrices) {
    box.x.push_back(x);
    x += FlowLayout::kBetween +
         std::max(static_cast<double>(matrix.columns.size()) * box.cell_width, label_width(matrix));
  }
  box.y = FlowLayout::kHeader + FlowLayout::kLabel + (box.named ? FlowLayout::kNames : 0);
  const double notes = static_cast<double>(wrapped(stage.note, FlowLayout::kNote, 10).size());
  box.height = std::max(box.y + static_cast<double>(rows) * box.cell_height + 10,
                        FlowLayout::kHeader + notes * FlowLayout::kLine + 10);
  return box;
}

}  // namespace

FlowLayout::FlowLayout(const Flow& flow) {
  double top = 62;  // below the title
  for (const FlowStage& stage : flow.stages) {
    Box box = stage.words.empty() ? matrices_box(stage) : words_box(stage);
    box.top = top;
    box.y += top;
    boxes.push_back(box);
    top = box.bottom() + kGap;
  }
  height = top + 24;  // the legend
}

std::string first_label(const FlowMatrix& matrix) { return matrix.label; }

std::string second_label(const FlowMatrix& matrix) {
  return fmt::format("({}) {}", matrix.equation, matrix.value.shape().to_string());
}

int64_t drawn(int64_t rows) { return std::min(rows, kMostRows); }

std::vector<std::string> wrapped(const std::string& text, double width, double size) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (lines.empty() || text_width(lines.back() + " " + word, size) > width) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
  }
  return lines;
}

std::string clipped(const std::string& text, double width, double size) {
  if (text_width(text, size) <= width) return text;
  std::u32string letters = data::to_utf32(text);
  while (!letters.empty() && text_width(data::to_utf8(letters) + "…", size) > width) letters.pop_back();
  return data::to_utf8(letters) + "…";
}

}  // namespace xf::tools::explain
