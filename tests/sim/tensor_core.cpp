// Tensor core instructions on a CPU, with the fragment layouts of the PTX manual (ISA 8.7, "Matrix
// fragments for mma.m16n8k16" and "ldmatrix"). Lane = 4 * group + place, 0 <= place < 4; a register
// holds two bf16, the one of the lower column (of B: row) in its lower half.
//   A [16, 16]: a0 row group,     columns 2 place, +1     a1 row group + 8, same columns
//               a2 row group,     columns 2 place + 8, +9 a3 row group + 8, same columns
//   B [16, 8]:  b0 rows 2 place, +1, column group         b1 rows 2 place + 8, +9, column group
//   C [16, 8]:  c0 c1 row group, columns 2 place, +1      c2 c3 row group + 8, same columns
// ldmatrix.x4: lane 8 m + r gives the address of row r of 8 x 8 matrix m; afterwards register m of
// a lane holds row `group`, columns 2 place, +1 of matrix m, or with .trans of its transpose.
#include <bit>
#include <cstring>

#include "tests/sim/block.h"
#include "tests/sim/observer.h"
#include "tests/sim/portable_twins.h"
#include "tests/sim/shared_memory.h"

namespace xf::sim {

namespace {

struct Mma {
  float* d;
  const uint32_t *a, *b;
  const float* c;
};

struct LoadMatrix {
  uint32_t* r;
  const void* row;
};

float half_of(uint32_t pair, uint32_t upper) {
  return std::bit_cast<float>(upper ? pair & 0xffff0000u : pair << 16);
}

// The sum over k runs in order in f32; a tensor core adds groups of products in its own order and
// precision.
void complete_mma(Warp& warp, uint32_t) {
  float a[16][16], b[16][8], c[16][8];
  for (uint32_t lane = 0; lane < kWarp; ++lane) {
    const Mma& io = *static_cast<Mma*>(warp.operand[lane]);
    const uint32_t group = lane / 4, column = lane % 4 * 2;
    for (uint32_t h = 0; h < 2; ++h) {
      a[group][column + h] = half_of(io.a[0], h);
      a[group + 8][column + h] = half_of(io.a[1], h);
      a[group][column + 8 + h] = half_of(io.a[2], h);
      a[group + 8][column + 8 + h] = half_of(io.a[3], h);
      b[column + h][group] = half_of(io.b[0], h);
      b[column + 8 + h][group] = half_of(io.b[1], h);
      c[group][column + h] = io.c[h];
      c[group + 8][column + h] = io.c[2 + h];
    }
  }
  for (int i = 0; i < 16; ++i) {
    for (int k = 0; k < 16; ++k) {
      for (int j = 0; j < 8; ++j) c[i][j] += a[i][k] * b[k][j];
    }
  }
  for (uint32_t lane = 0; lane < kWarp; ++lane) {
    const Mma& io = *static_cast<Mma*>(warp.operand[lane]);
    for (uint32_t h = 0; h < 2; ++h) {
      io.d[h] = c[lane / 4][lane % 4 * 2 + h];
      io.d[2 + h] = c[lane / 4 + 8][lane % 4 * 2 + h];
    }
  }
}

template <bool kTransposed>
void complete_load(Warp& warp, uint32_t) {
  for (uint32_t m = 0; m < 4; ++m) {
    uint16_t x[8][8];
    for (uint32_t r = 0; r < 8; ++r) {
      std::memcpy(x[r], static_cast<LoadMatrix*>(warp.operand[8 * m + r])->row, sizeof x[r]);
    }
    for (uint32_t lane = 0; lane < kWarp; ++lane) {
      const uint32_t row = lane / 4, column = lane % 4 * 2;
      const uint32_t low = kTransposed ? x[column][row] : x[row][column];
      const uint32_t high = kTransposed ? x[column + 1][row] : x[row][column + 1];
      static_cast<LoadMatrix*>(warp.operand[lane])->r[m] = low | high << 16;
    }
  }
}

}  // namespace

void check_alignment(const void* address, Site site) {
  if (reinterpret_cast<uintptr_t>(address) % 16 == 0) return;
  fault(fmt::format("{}: 16 bytes at an address that is not a multiple of 16 (misaligned)", to_string(site)));
}

void mma_16x8x16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2], const float (&c)[4],
                 Site site) {
  Mma io{d, a, b, c};
  current->warp->operand[current->lane] = &io;
  block().collective("mma_16x8x16", 0xffffffffu, site, complete_mma);
}

void load_matrix_x4(uint32_t (&r)[4], const void* row, bool transposed, Site site) {
  check_alignment(row, site);
  if (!in_shared_memory(row))
    fault(fmt::format("load_matrix {}: the row is not in shared memory", to_string(site)));
  observe(row, 16, Access::read, site);
  LoadMatrix io{r, row};
  current->warp->operand[current->lane] = &io;
  block().collective("load_matrix_x4", 0xffffffffu, site,
                     transposed ? complete_load<true> : complete_load<false>);
}

}  // namespace xf::sim
