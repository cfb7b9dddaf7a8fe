// Kernels with one bug each, for planted_bugs_test.cpp. Each reads x [256] and writes y [128];
// without its bug it would leave finite values there.
#pragma once

#include <cstddef>

namespace xf::planted {

struct PlantedBug {
  const char* name;
  void (*kernel)(const float* x, float* y);
  int grid, block;
  size_t shared_bytes;
};

// Null: no bug of this name.
const PlantedBug* find_planted_bug(const char* name);
void run_planted_bug(const PlantedBug& bug, const float* x, float* y);

}  // namespace xf::planted
