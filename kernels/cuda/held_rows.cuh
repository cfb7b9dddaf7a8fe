// How softmax and rms_norm share out rows: up to kLongestInRegisters columns a warp holds a row in registers, column i in
// lane i % 32, four rows to a block, few enough that a block of finished rows makes room for the next; a longer row is
// walked by a block, once for each pass.
#pragma once

#include <cstdint>

namespace xf::kernels {

constexpr int kRowsPerBlock = 4;
constexpr int kHeldRowThreads = 32 * kRowsPerBlock;
constexpr int kWalkedRowThreads = 256;
constexpr int64_t kLongestInRegisters = 1024;

// Of warps that hold a row each.
inline unsigned blocks_of_held(int64_t rows) {
  return static_cast<unsigned>((rows + kRowsPerBlock - 1) / kRowsPerBlock);
}

}  // namespace xf::kernels
