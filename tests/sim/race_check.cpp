// The race check: every byte of shared and global memory remembers who last wrote and who last read
// it; two accesses of which one writes must be ordered, by CUDA's rules: the same thread; a
// __syncthreads between them (one block), a __syncwarp (one warp); two launches; or both atomic.
// Shuffles order nothing. Found as well: accesses outside of live memory and to the host's, and
// reads of what nobody has written. What it found is thrown at the end of the block.
#include "tests/sim/instrumented.h"

#include <algorithm>
#include <bitset>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "tests/sim/block.h"
#include "tests/sim/memory.h"
#include "tests/sim/shared_memory.h"
#include "tests/sim/symbols.h"

extern "C" const char __executable_start, _end;  // of the program, from the linker

namespace xf::sim {

namespace {

// Where in the source: an address of the program, or a place that the machine was told.
struct Where {
  const void* pc = nullptr;
  Site site;
};

// One of several readers stands for all; how far apart they are decides what can still order them.
enum class Spread : uint8_t { thread, warp, block, grid };

struct Stamp {
  uint32_t launch = 0, block = 0, barrier = 0, warp_epoch = 0, where = 0;
  uint16_t thread = 0;
  Spread spread = Spread::thread;
  bool atomic = false;
};

struct Cell {
  Stamp write, read;
};

constexpr size_t kPage = 1024, kMostFound = 4;  // bytes; faults that are told
constexpr uint32_t kNobody = UINT32_MAX;

struct Shadow {
  std::vector<std::unique_ptr<Cell[]>> pages;    // never given back: the next launch uses them
                                                 // again
  std::unordered_map<uintptr_t, Cell*> page_of;  // of this launch
  uintptr_t last = UINTPTR_MAX;
  Cell* last_page = nullptr;
  uint32_t launch = 0;
  std::unordered_map<uintptr_t, std::bitset<kPage>> initialised;  // bytes of the device's memory
  std::vector<Where> places;
  std::unordered_map<uintptr_t, uint32_t> place_of;  // by pc, or by file and line
  std::set<std::pair<uint32_t, uint32_t>> reported;  // pairs of places
  std::vector<std::string> found;
} shadow;

// Stamps of other launches order themselves; so a page needs no clearing.
Cell& cell(uintptr_t address) {
  const uintptr_t number = address / kPage;
  if (number != shadow.last) {
    Cell*& page = shadow.page_of[number];
    if (!page) {
      if (shadow.page_of.size() > shadow.pages.size())
        shadow.pages.push_back(std::make_unique<Cell[]>(kPage));
      page = shadow.pages[shadow.page_of.size() - 1].get();
    }
    shadow.last = number;
    shadow.last_page = page;
  }
  return shadow.last_page[address % kPage];
}

void set_initialised(const void* address, size_t bytes, bool value) {
  const auto begin = reinterpret_cast<uintptr_t>(address), end = begin + bytes;
  for (uintptr_t at = begin; at < end;) {
    std::bitset<kPage>& page = shadow.initialised[at / kPage];
    if (at % kPage == 0 && end - at >= kPage) {
      value ? page.set() : page.reset();
      at += kPage;
    } else {
      page[at % kPage] = value;
      ++at;
    }
  }
}

uint32_t intern(uintptr_t key, const Where& where) {
  const auto [it, is_new] = shadow.place_of.try_emplace(key, static_cast<uint32_t>(shadow.places.size()));
  if (is_new) shadow.places.push_back(where);
  return it->second;
}

std::string to_string(uint32_t where) {
  const Where& place = shadow.places[where];
  return place.pc ? line_at(static_cast<const char*>(place.pc) - 1) : sim::to_string(place.site);
}

void start_launch(uint32_t launch) {
  shadow.launch = launch;
  shadow.page_of.clear();
  shadow.last = UINTPTR_MAX;
  shadow.found.clear();
  shadow.reported.clear();
}

Stamp stamp_here(Access access, uint32_t where) {
  const dim3 size = grid_size;
  Stamp me;
  me.launch = shadow.launch;
  me.block = (block_index.z * size.y + block_index.y) * size.x + block_index.x;
  me.barrier = block().barrier_epoch();
  me.warp_epoch = current->warp_epoch;
  me.where = where;
  me.thread = static_cast<uint16_t>(current->number);
  me.atomic = access == Access::atomic;
  return me;
}

bool ordered(const Stamp& s, const Stamp& me, bool shared) {
  if (s.launch != me.launch || (s.atomic && me.atomic)) return true;
  if (s.spread == Spread::grid) return false;
  if (s.block != me.block) return shared;
  if (s.barrier != me.barrier) return true;
  if (s.thread == me.thread && s.spread == Spread::thread) return true;
  return s.thread / kWarp == me.thread / kWarp && s.spread <= Spread::warp && s.warp_epoch != me.warp_epoch;
}

// A plain write and an atomic one by the same thread: the plain one says more about what others do.
bool is_same_moment(const Stamp& s, const Stamp& me) {
  return s.launch == me.launch && s.block == me.block && s.barrier == me.barrier && s.thread == me.thread;
}

Spread together(const Stamp& read, const Stamp& me) {
  if (read.block != me.block) return Spread::grid;
  return std::max(read.spread, read.thread / kWarp == me.thread / kWarp ? Spread::warp : Spread::block);
}

const char* name_of(const Stamp& s, bool is_write) {
  return s.atomic ? "atomic" : is_write ? "write" : "read";
}

void report(const Stamp& me, bool writes, const Stamp& other, bool other_writes, bool shared) {
  if (shadow.found.size() >= kMostFound || !shadow.reported.emplace(me.where, other.where).second) return;
  shadow.found.push_back(fmt::format(
      "race on {} memory: {} by block {} thread {} at {} and {} by block {} thread {} at {} are not ordered",
      shared ? "shared" : "global", name_of(me, writes), me.block, me.thread, to_string(me.where),
      name_of(other, other_writes), other.block, other.thread, to_string(other.where)));
}

// False: the access needs no stamps.
bool check_address(const void* address, size_t bytes, Access access, uint32_t where) {
  const auto* p = static_cast<const char*>(address);
  if (in_shared_array(p, bytes) || memory::is_device(p, bytes)) return true;
  const bool allowed = (p >= &__executable_start && p < &_end) || memory::is_pinned(p, bytes);
  if (!allowed && shadow.found.size() < kMostFound && shadow.reported.emplace(where, where).second) {
    shadow.found.push_back(fmt::format("{}: {} {} of {} bytes {}", block().who(), to_string(where),
                                       access == Access::read ? "read" : "write", bytes,
                                       in_shared_memory(p) ? "is not inside one shared array"
                                       : memory::in_slab(p)
                                           ? "is not inside one live allocation of the device"
                                           : "is in the host's memory"));
  }
  return false;
}

// A byte that is read must have been written: of shared memory by this block, of the device's by
// anyone.
void check_initialised(uintptr_t at, const Cell& c, const Stamp& me, bool shared) {
  const bool good = shared ? c.write.launch == me.launch && c.write.block == me.block
                           : shadow.initialised[at / kPage][at % kPage];
  if (good || shadow.found.size() >= kMostFound || !shadow.reported.emplace(me.where, me.where).second)
    return;
  shadow.found.push_back(fmt::format("{}: {} reads {} memory that nobody has written", block().who(),
                                     to_string(me.where), shared ? "shared" : "global"));
}

void access_at(const void* address, size_t bytes, Access access, uintptr_t key, const Where& where) {
  if (shadow.launch != statistics.launches) start_launch(static_cast<uint32_t>(statistics.launches));
  const uint32_t place = intern(key, where);
  if (!check_address(address, bytes, access, place)) return;
  const bool shared = in_shared_memory(address), writes = access != Access::read;
  const Stamp me = stamp_here(access, place);
  const auto begin = reinterpret_cast<uintptr_t>(address);
  for (uintptr_t at = begin; at < begin + bytes; ++at) {
    Cell& c = cell(at);
    if (access == Access::read || access == Access::atomic) check_initialised(at, c, me, shared);
    if (!ordered(c.write, me, shared)) {
      report(me, writes, c.write, true, shared);
    } else if (writes && !ordered(c.read, me, shared)) {
      report(me, writes, c.read, false, shared);
    }
    if (writes) {
      if (!(me.atomic && is_same_moment(c.write, me))) c.write = me;
      if (access == Access::start_copy) c.write.block = kNobody;
      if (access == Access::write) c.read = {};
      if (!shared) shadow.initialised[at / kPage].set(at % kPage);
    } else {
      const Spread spread = ordered(c.read, me, shared) ? Spread::thread : together(c.read, me);
      c.read = me;
      c.read.spread = spread;
    }
  }
}

void access_at_site(const void* address, size_t bytes, Access access, Site site) {
  if (access == Access::allocate) return set_initialised(address, bytes, false);
  if (!current) {
    if (access == Access::write) set_initialised(address, bytes, true);
    return;
  }
  const auto key = reinterpret_cast<uintptr_t>(site.file) * 0x10001u + static_cast<uintptr_t>(site.line);
  access_at(address, bytes, access, ~key, {nullptr, site});
}

void throw_what_was_found() {
  if (shadow.found.empty()) return;
  std::string text = shadow.found[0];
  for (size_t i = 1; i < shadow.found.size(); ++i) text += "; " + shadow.found[i];
  shadow.found.clear();
  fail(ErrorKind::failure, "sim: {}: {}", function_at(block().grid().kernel), text);
}

const bool installed = [] {
  observer = access_at_site;
  after_block = throw_what_was_found;
  return true;
}();

}  // namespace

void access(const void* address, size_t bytes, Access access, const void* pc) {
  if (!current || block().is_own(address)) return;
  access_at(address, bytes, access, reinterpret_cast<uintptr_t>(pc), {pc, {}});
}

}  // namespace xf::sim
