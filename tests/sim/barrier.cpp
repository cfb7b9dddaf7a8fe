// Where the threads of a block, or the lanes of a warp, wait for each other.
#include <bit>
#include <utility>

#include "tests/sim/block.h"

namespace xf::sim {

void Block::check_barrier(const char* name, Site site) const {
  if (finished_ > 0) {
    fault(fmt::format("{} {}, but {} threads of the block have ended (divergent barrier)", name,
                      to_string(site), finished_));
  }
  if (at_barrier_ > 0 && !same(barrier_site_, site)) {
    fault(fmt::format("divergent barrier: at {} {} while others wait at {}", name, to_string(site),
                      to_string(barrier_site_)));
  }
  const Warp& warp = *current->warp;
  for (int i = 0; i < warp.meetings_open; ++i) {
    const Meeting& m = warp.meetings[i];
    if (m.mask >> current->lane & 1) {
      fault(fmt::format("at {} {} while lanes {:#010x} of its warp wait for it at {} {}", name,
                        to_string(site), m.arrived, m.name, to_string(m.site)));
    }
  }
}

void Block::barrier(const char* name, Site site) {
  check_barrier(name, site);
  barrier_site_ = site;
  current->warp->at_barrier |= 1u << current->lane;
  if (++at_barrier_ < count_) return wait(State::at_barrier, name, site);
  at_barrier_ = 0;
  ++barrier_epoch_;
  predicates_before_ = std::exchange(predicates_, 0);
  for (Warp& warp : warps_) warp.at_barrier = 0;
  for (Thread& thread : threads_) {
    if (&thread != current) release(thread);
  }
}

int Block::count_at_barrier(const char* name, bool predicate, Site site) {
  predicates_ += predicate;
  barrier(name, site);
  return predicates_before_;
}

// A new meeting is possible only where every lane that it names can still come.
void Block::check_meeting(const char* name, uint32_t mask, Site site) const {
  const Warp& warp = *current->warp;
  const auto refuse = [&](const std::string& why) {
    fault(fmt::format("{} {}: {}", name, to_string(site), why));
  };
  if (mask & warp.finished) {
    refuse(fmt::format("mask {:#010x} names lanes that have ended: {:#010x}", mask, mask & warp.finished));
  }
  if (mask & warp.at_barrier) {
    refuse(fmt::format("lanes {:#010x} of mask {:#010x} wait at __syncthreads {}", mask & warp.at_barrier,
                       mask, to_string(barrier_site_)));
  }
  for (int i = 0; i < warp.meetings_open; ++i) {
    const Meeting& m = warp.meetings[i];
    if ((m.mask >> current->lane & 1) || (m.arrived & mask)) {
      refuse(fmt::format("divergent warp: mask {:#010x}, while lanes {:#010x} wait at {} {}, mask {:#010x}",
                         mask, m.arrived, m.name, to_string(m.site), m.mask));
    }
  }
  if (warp.meetings_open == 8) refuse("more than 8 collectives of one warp are open");
}

void Block::collective(const char* name, uint32_t mask, Site site, void (*complete)(Warp&, uint32_t)) {
  Warp& warp = *current->warp;
  const uint32_t self = 1u << current->lane;
  if (!(mask & self)) {
    fault(fmt::format("{} {}: lane {} calls it and is not in its mask {:#010x}", name, to_string(site),
                      current->lane, mask));
  }
  Meeting* meeting = nullptr;
  for (int i = 0; i < warp.meetings_open && !meeting; ++i) {
    Meeting& m = warp.meetings[i];
    if (m.mask == mask && m.name == name && same(m.site, site)) meeting = &m;
  }
  if (!meeting) {
    check_meeting(name, mask, site);
    meeting = &warp.meetings[warp.meetings_open++];
    *meeting = {mask, 0, name, site};
  }
  meeting->arrived |= self;
  if (meeting->arrived != mask) return wait(State::at_collective, name, site);
  *meeting = warp.meetings[--warp.meetings_open];
  complete(warp, mask);
  for (uint32_t rest = mask & ~self; rest != 0; rest &= rest - 1) {
    release(threads_[warp.first + static_cast<uint32_t>(std::countr_zero(rest))]);
  }
}

}  // namespace xf::sim
