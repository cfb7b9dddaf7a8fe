// cp.async: copies of 16 bytes from global to shared memory that land when their thread waits for
// them and not before. Until then the target holds NaN, and AddressSanitizer refuses it.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/sim/site.h"

namespace xf::sim {

struct CopyAsync {
  void* to;
  const void* from;
  bool reads;  // false: 16 zero bytes
  uint32_t group;
  Site site;
};

struct CopiesAsync {
  std::vector<CopyAsync> pending;
  uint32_t group = 0;  // commits so far
};

void copy_async(void* to, const void* from, bool reads, Site site);
void commit_copies();
void land_copies(uint32_t left);  // all but the newest `left` groups
void land_all_copies();           // at the thread's end, also those that were never committed

}  // namespace xf::sim
