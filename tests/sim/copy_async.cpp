#include "tests/sim/copy_async.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "tests/sim/asan.h"
#include "tests/sim/block.h"
#include "tests/sim/memory.h"
#include "tests/sim/observer.h"
#include "tests/sim/shared_memory.h"

namespace xf::sim {

namespace {

constexpr size_t kBytes = 16;

bool misaligned(const void* p) { return reinterpret_cast<uintptr_t>(p) % kBytes != 0; }

void land(const CopyAsync& copy) {
  asan_unpoison(copy.to, kBytes);
  if (copy.reads) {
    observe(copy.from, kBytes, Access::read, copy.site);
    std::memcpy(copy.to, copy.from, kBytes);
  } else {
    std::memset(copy.to, 0, kBytes);
  }
  observe(copy.to, kBytes, Access::write, copy.site);
}

}  // namespace

void copy_async(void* to, const void* from, bool reads, Site site) {
  if (misaligned(to))
    fault(fmt::format("copy_async_16 {}: the target is not 16-byte aligned", to_string(site)));
  if (reads && misaligned(from)) {
    fault(fmt::format("copy_async_16 {}: the source is not 16-byte aligned", to_string(site)));
  }
  if (!in_shared_memory(to))
    fault(fmt::format("copy_async_16 {}: the target is not shared memory", to_string(site)));
  if (reads && !memory::is_device(from, kBytes)) {
    fault(fmt::format("copy_async_16 {}: the source is not inside one live allocation", to_string(site)));
  }
  observe(to, kBytes, Access::start_copy, site);
  std::memset(to, 0xFF, kBytes);
  asan_poison(to, kBytes);
  current->copies.pending.push_back({to, from, reads, current->copies.group, site});
}

void commit_copies() { ++current->copies.group; }

void land_copies(uint32_t left) {
  std::vector<CopyAsync>& pending = current->copies.pending;
  const auto stays = [&](const CopyAsync& copy) { return copy.group + left >= current->copies.group; };
  const auto end = std::find_if(pending.begin(), pending.end(), stays);
  std::for_each(pending.begin(), end, land);
  pending.erase(pending.begin(), end);
}

void land_all_copies() {
  for (const CopyAsync& copy : current->copies.pending) land(copy);
  current->copies.pending.clear();
}

}  // namespace xf::sim
