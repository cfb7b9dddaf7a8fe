#include "tests/sim/shuffle.h"

#include <algorithm>

namespace xf::sim {

namespace {

struct Vote {
  bool predicate;
  uint32_t result;
};

void complete_ballot(Warp& warp, uint32_t mask) {
  uint32_t votes = 0;
  for (uint32_t lane = 0; lane < kWarp; ++lane) {
    if (mask >> lane & 1) votes |= uint32_t{static_cast<Vote*>(warp.operand[lane])->predicate} << lane;
  }
  for (uint32_t lane = 0; lane < kWarp; ++lane) {
    if (mask >> lane & 1) static_cast<Vote*>(warp.operand[lane])->result = votes;
  }
}

// The lanes' epochs become one that none of them had: what they did before is ordered before what
// they do now.
void complete_sync(Warp& warp, uint32_t mask) {
  uint32_t epoch = 0;
  for (uint32_t lane = 0; lane < kWarp; ++lane) {
    if (mask >> lane & 1) epoch = std::max(epoch, static_cast<Thread*>(warp.operand[lane])->warp_epoch);
  }
  for (uint32_t lane = 0; lane < kWarp; ++lane) {
    if (mask >> lane & 1) static_cast<Thread*>(warp.operand[lane])->warp_epoch = epoch + 1;
  }
}

}  // namespace

void shuffle_from_outside(const char* name, Site site, uint32_t lane, int source) {
  fault(fmt::format("{} {}: lane {} reads lane {}, which is not in the mask", name, to_string(site), lane,
                    source));
}

uint32_t ballot(const char* name, uint32_t mask, bool predicate, Site site) {
  Vote mine{predicate, 0};
  current->warp->operand[current->lane] = &mine;
  block().collective(name, mask, site, complete_ballot);
  return mine.result;
}

void sync_warp(uint32_t mask, Site site) {
  current->warp->operand[current->lane] = current;
  block().collective("__syncwarp", mask, site, complete_sync);
}

}  // namespace xf::sim
