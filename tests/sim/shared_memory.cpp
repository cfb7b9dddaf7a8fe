#include "tests/sim/shared_memory.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "tests/sim/asan.h"
#include "tests/sim/settings.h"

namespace xf::sim {

namespace {

constexpr size_t kGuard = 64;
constexpr int kPoison = 0xFF;  // NaN in every floating point format, -1 in integers
constexpr unsigned char kMark = 0xA5;

struct Array {
  unsigned char* data;
  size_t bytes;
  const char* name;
  Site site;
};

struct Arena {
  unsigned char* data = static_cast<unsigned char*>(std::aligned_alloc(4096, kSharedArena));
  size_t used = 0, static_bytes = 0;
  std::vector<Array> arrays;
} arena;

unsigned char* carve(size_t bytes, size_t alignment, const char* name, Site site) {
  arena.used = (arena.used + alignment - 1) / alignment * alignment;
  if (arena.used + bytes + kGuard > kSharedArena) fault("the shared memory of a block is used up");
  unsigned char* data = arena.data + arena.used;
  asan_unpoison(data, bytes + kGuard);
  std::memset(data, kPoison, bytes);
  std::memset(data + bytes, kMark, kGuard);
  asan_poison(data + bytes, kGuard);
  arena.used += bytes + kGuard;
  arena.arrays.push_back({data, bytes, name, site});
  return data;
}

}  // namespace

void open_shared_memory(size_t dynamic_bytes) {
  arena.used = arena.static_bytes = 0;
  arena.arrays.clear();
  asan_poison(arena.data, kSharedArena);
  carve(dynamic_bytes, 128, "dynamic shared memory", {});
}

void check_shared_memory() {
  for (const Array& array : arena.arrays) {
    asan_unpoison(array.data + array.bytes, kGuard);
    for (size_t i = 0; i < kGuard; ++i) {
      if (array.data[array.bytes + i] == kMark) continue;
      fault(fmt::format("something wrote {} bytes past the end of {} ({} bytes{}{})", i, array.name,
                        array.bytes, array.site.file ? ", declared at " : "",
                        array.site.file ? to_string(array.site) : ""));
    }
  }
}

unsigned char* dynamic_shared_memory() { return arena.arrays[0].data; }

bool in_shared_memory(const void* address) {
  return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(arena.data) < kSharedArena;
}

bool in_shared_array(const void* address, size_t bytes) {
  const auto* p = static_cast<const unsigned char*>(address);
  for (const Array& array : arena.arrays) {
    if (p >= array.data && p + bytes <= array.data + array.bytes) return true;
  }
  return false;
}

const unsigned char* shared_arena() { return arena.data; }

void* make_shared_array(size_t bytes, size_t alignment, const char* name, Site site) {
  arena.static_bytes += bytes;
  const size_t dynamic_bytes = arena.arrays[0].bytes;
  if (arena.static_bytes > kStaticShared) {
    fault(
        fmt::format("{} at {}: __shared__ arrays have {} bytes in all, "
                    "at most {} are possible; use dynamic shared memory",
                    name, to_string(site), arena.static_bytes, kStaticShared));
  }
  if (arena.static_bytes + dynamic_bytes > settings().shared) {
    fault(fmt::format("{} at {}: {} bytes of shared arrays and {} of dynamic shared memory; a block has {}",
                      name, to_string(site), arena.static_bytes, dynamic_bytes, settings().shared));
  }
  return carve(bytes, alignment, name, site);
}

}  // namespace xf::sim
