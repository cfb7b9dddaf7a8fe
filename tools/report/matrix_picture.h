// A matrix of weights as a picture and as text: queries downwards, keys to the right, both with
// their tokens.
#pragma once

#include <string>
#include <vector>

#include "tools/report/svg.h"

namespace xf::tools {

struct TokenMatrix {
  std::vector<std::string> rows, columns;  // the tokens
  std::vector<double> values;              // [rows, columns]
  double full = 1;                         // the size of a value that is painted in full
  double at(size_t row, size_t column) const { return values[row * columns.size() + column]; }
};

struct PictureSize {
  double width = 0, height = 0;
};

// Pixels of the picture below, its title included. `cell`: the side of a cell; small cells have
// small letters.
PictureSize picture_size(const TokenMatrix& matrix, const std::string& title, double cell);
// A cell's opacity is its value, those below zero in a colour of their own; the pointer on it shows
// tokens and value, which are also printed in cells with room.
void draw_matrix(Drawing& drawing, double x, double y, const TokenMatrix& matrix, const std::string& title,
                 double cell);
Drawing matrix_drawing(const TokenMatrix& matrix, const std::string& title, double cell);

// Matrices side by side under a heading; what goes beyond `width` pixels begins a new line.
struct TitledMatrix {
  std::string title;
  TokenMatrix matrix;
};
struct Gallery {
  std::string heading;
  std::vector<TitledMatrix> matrices;
};
Drawing gallery_drawing(const std::string& title, const std::vector<Gallery>& galleries, double cell,
                        double width);

// Rows of a table: the column tokens, then each row's token and `cell` of each of its values;
// columns as wide as they need, each line `indent` spaces in.
std::string matrix_text(const TokenMatrix& matrix, int indent, std::string (*cell)(double));

}  // namespace xf::tools
