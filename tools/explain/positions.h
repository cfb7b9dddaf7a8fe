// The sinusoids that tell the model where a token stands (EM3), docs/derivations/embedding.md: the
// table as kernels::sinusoid_positions writes it, a heat map of all of it, and curves of some of
// its columns.
#pragma once

#include <string>
#include <vector>

#include "kernels/embedding.h"
#include "tools/config/program_options.h"

namespace xf::tools::explain {

struct Positions {
  kernels::PositionLayout layout;
  Tensor table;                  // f64 [positions, D]
  std::vector<int64_t> columns;  // those that are written out and drawn as curves
  int64_t length() const { return table.rows(); }
  int64_t dim() const { return table.width(); }
  double at(int64_t position, int64_t column) const {
    return table.data<double>()[position * dim() + column];
  }
  bool is_sine(int64_t column) const;
  int64_t pair(int64_t column) const;       // the column's i in (EM3)
  double wavelength(int64_t column) const;  // positions from one crest to the next: 2 pi
                                            // 10000^(2i/D)
};

// `columns`: none for a choice that spans the table. Error usage for an odd `dim`, and for a column
// that is not there.
Positions positions_of(int64_t length, int64_t dim, kernels::PositionLayout layout,
                       std::vector<int64_t> columns);

std::string to_text(const Positions& positions);
std::string to_json(const Positions& positions);
std::string to_svg(const Positions& positions);
std::string to_html(const Positions& positions);

// The command: options length, dim, layout, columns, format.
std::string positions(const PositionsOptions& options);

}  // namespace xf::tools::explain
