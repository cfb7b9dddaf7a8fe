// What the lanes of a warp exchange. None of it orders memory but sync_warp: as on the device.
#pragma once

#include <type_traits>

#include "tests/sim/block.h"

namespace xf::sim {

template <typename T>
struct Shuffle {
  T value;
  int source;
  T result;
  const char* name;
  Site site;
};

[[noreturn]] void shuffle_from_outside(const char* name, Site site, uint32_t lane, int source);

template <typename T>
void complete_shuffle(Warp& warp, uint32_t mask) {
  for (uint32_t lane = 0; lane < kWarp; ++lane) {
    if (!(mask >> lane & 1)) continue;
    auto& mine = *static_cast<Shuffle<T>*>(warp.operand[lane]);
    if (!(mask >> mine.source & 1)) shuffle_from_outside(mine.name, mine.site, lane, mine.source);
    mine.result = static_cast<Shuffle<T>*>(warp.operand[mine.source])->value;
  }
}

template <typename T>
T shuffle(const char* name, uint32_t mask, T value, int source, Site site) {
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "CUDA shuffles 4 or 8 bytes");
  Shuffle<T> mine{value, source, {}, name, site};
  current->warp->operand[current->lane] = &mine;
  block().collective(name, mask, site, complete_shuffle<T>);
  return mine.result;
}

uint32_t ballot(const char* name, uint32_t mask, bool predicate, Site site);
void sync_warp(uint32_t mask, Site site);

// for (offset = 16 .. 1) value = op(value, __shfl_xor_sync(full, value, offset)), in one meeting
// instead of five: every lane computes what its five steps would have.
template <typename T, typename Op>
void complete_butterfly(Warp& warp, uint32_t) {
  T x[kWarp], y[kWarp];
  for (uint32_t lane = 0; lane < kWarp; ++lane) x[lane] = *static_cast<T*>(warp.operand[lane]);
  for (uint32_t offset = kWarp / 2; offset > 0; offset /= 2) {
    for (uint32_t lane = 0; lane < kWarp; ++lane) y[lane] = Op{}(x[lane], x[lane ^ offset]);
    for (uint32_t lane = 0; lane < kWarp; ++lane) x[lane] = y[lane];
  }
  for (uint32_t lane = 0; lane < kWarp; ++lane) *static_cast<T*>(warp.operand[lane]) = x[lane];
}

template <typename T, typename Op>
T butterfly(T value, Op, Site site) {
  current->warp->operand[current->lane] = &value;
  block().collective("warp reduction", 0xffffffffu, site, complete_butterfly<T, Op>);
  return value;
}

}  // namespace xf::sim
