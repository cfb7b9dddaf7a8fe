// Rows of activations in eight bits and their products with packed weights, on the calling thread:
// the pieces of quantized_linear.cpp that other ops build on.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/element.h"
#include "kernels/quantized_linear.h"

namespace xf::kernels {

struct QuantizedRows {
  std::vector<uint8_t> values;  // [N, stride]: p + 128, any number where a quad has no input
  std::vector<float> scales;    // [N]: t
  int64_t N = 0, stride = 0;
};

// QL2, of all rows of x.
void quantize_rows(const QuantizedLinearArgs& args, QuantizedRows& to);

// QL3 for these rows, written from args.y on; args.x and args.N are not read.
void multiply_rows(const QuantizedRows& rows, const QuantizedLinearArgs& args);

// Strips begin to end-1 alone; args.y may be null.
QuantizedLinearArgs strips_of(const QuantizedLinearArgs& args, int64_t begin, int64_t end);

// A product of some rows, from `row` on, and some strips, from `strip` on: how many is the tile's
// own.
using QuantizedTile = void (*)(const QuantizedRows& rows, const QuantizedLinearArgs& args, int64_t row,
                               int64_t strip);
constexpr int kMostTileRows = 8, kMostTileStrips = 4;
struct QuantizedTiles {
  int rows;  // of the largest tile
  // of the wide tile of so many rows
  int strips[kMostTileRows + 1];
  QuantizedTile wide[kMostTileRows + 1], narrow[kMostTileRows + 1];  // narrow: of one strip
};

// By AVX512_VNNI (quantized_linear_quads.cpp); null where this level or this processor is without.
const QuantizedTiles* quad_tiles();
// By what the level has (quantized_linear_pairs.cpp).
const QuantizedTiles& pair_tiles();

}  // namespace xf::kernels
