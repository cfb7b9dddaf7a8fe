// Where things of a flow's picture lie: one stage under the other in a column that a narrow screen
// can show. All lengths in pixels of the drawing.
#pragma once

#include "tools/explain/flow.h"

namespace xf::tools::explain {

struct FlowLayout {
  static constexpr double kWidth = 480;
  static constexpr double kLeft = 20, kRight = 456;  // of the stages' boxes; lines to and fro run
                                                     // beside them
  static constexpr double kText = 30;                // notes and words begin here
  static constexpr double kMatrices = 178;           // and matrices here
  static constexpr double kEnd = 448;
  static constexpr double kGap = 16;      // between boxes: an arrow
  static constexpr double kHeader = 22;   // of a box: title and block
  static constexpr double kLine = 13;     // of a note
  static constexpr double kNote = 138;    // width of a note
  static constexpr double kNames = 48;    // of rows or columns
  static constexpr double kLabel = 26;    // of a matrix: two lines
  static constexpr double kBetween = 14;  // matrices

  struct Box {
    double top = 0, height = 0;
    double cell_width = 0, cell_height = 0;  // of its matrices
    bool named = false;                      // its first matrix has names of rows and columns
    std::vector<double> x;                   // of each matrix's first cell
    double y = 0;
    double slot = 0;  // width of a word
    double bottom() const { return top + height; }
    double middle() const { return top + height / 2; }
  };
  std::vector<Box> boxes;
  double height = 0;

  explicit FlowLayout(const Flow& flow);
};

// What stands above a matrix, in two lines.
std::string first_label(const FlowMatrix& matrix);
std::string second_label(const FlowMatrix& matrix);
constexpr double kFirstLabel = 10, kSecondLabel = 9;  // their sizes

// Rows of a matrix, and words of a stage, that are drawn.
int64_t drawn(int64_t rows);
// `text` in lines of at most `width` at this size.
std::vector<std::string> wrapped(const std::string& text, double width, double size);
// `text`, or as much of its beginning as fits, with an ellipsis.
std::string clipped(const std::string& text, double width, double size);

}  // namespace xf::tools::explain
