#include "tests/sim/memory.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>

#include "core/error.h"
#include "tests/sim/asan.h"
#include "tests/sim/observer.h"
#include "tests/sim/settings.h"

namespace xf::sim::memory {

namespace {

constexpr size_t kAlignment = 256, kGuard = 256, kHugePage = 2 << 20;
constexpr int kPoison = 0xFF;

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }
// What an allocation takes of the slab.
size_t extent(size_t bytes) { return round_up(bytes, kAlignment) + kGuard; }

struct Slab {
  char* base = nullptr;
  size_t bytes = 0, top = 0, used = 0;  // top: highest end so far
  std::map<char*, size_t> live, holes;  // start -> bytes, extent
  int open = 0;
} slab;
std::map<char*, size_t> pinned;

void on_fault(int signal_number, siginfo_t* info, void*) {
  if (in_slab(info->si_addr)) {
    constexpr char kText[] =
        "sim: the host reads or writes device memory (the data of a CUDA tensor?); use a copy\n";
    static_cast<void>(!write(STDERR_FILENO, kText, sizeof kText - 1));
  }
  signal(signal_number, SIG_DFL);
}

void reserve() {
  slab.bytes = round_up(4 * settings().memory + kHugePage, kHugePage);  // fragments included
  void* base =
      mmap(nullptr, slab.bytes + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) fail(ErrorKind::resources, "sim: no {} bytes of addresses", slab.bytes);
  slab.base = reinterpret_cast<char*>(round_up(reinterpret_cast<uintptr_t>(base), kHugePage));
  madvise(slab.base, slab.bytes, MADV_HUGEPAGE);
  if (XF_SIM_ASAN) return;  // which has a better message
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
}

void protect(int how) { mprotect(slab.base, round_up(slab.top, kHugePage), how); }

char* place(size_t bytes) {
  for (auto hole = slab.holes.begin(); hole != slab.holes.end(); ++hole) {
    if (hole->second < bytes) continue;
    char* data = hole->first;
    const size_t rest = hole->second - bytes;
    slab.holes.erase(hole);
    if (rest > 0) slab.holes.emplace(data + bytes, rest);
    return data;
  }
  if (slab.top + bytes > slab.bytes) return nullptr;
  char* data = slab.base + slab.top;
  slab.top += bytes;
  if (slab.open > 0) protect(PROT_READ | PROT_WRITE);
  return data;
}

void merge_holes() {
  for (auto hole = slab.holes.begin(); hole != slab.holes.end();) {
    const auto next = std::next(hole);
    if (next != slab.holes.end() && hole->first + hole->second == next->first) {
      hole->second += next->second;
      slab.holes.erase(next);
    } else {
      hole = next;
    }
  }
}

bool inside(const std::map<char*, size_t>& ranges, const void* data, size_t bytes) {
  auto* p = const_cast<char*>(static_cast<const char*>(data));
  auto range = ranges.upper_bound(p);
  if (range == ranges.begin()) return false;
  --range;
  return p + bytes <= range->first + range->second;
}

void check_guard(char* data, size_t bytes) {
  asan_unpoison(data + bytes, extent(bytes) - bytes);
  for (size_t i = bytes; i < extent(bytes); ++i) {
    if (static_cast<unsigned char>(data[i]) == kPoison) continue;
    fail(ErrorKind::failure, "sim: something wrote {} bytes past the end of an allocation of {} bytes",
         i - bytes, bytes);
  }
  asan_poison(data + bytes, extent(bytes) - bytes);
}

}  // namespace

Open::Open() {
  if (slab.open++ == 0 && slab.base) protect(PROT_READ | PROT_WRITE);
}

Open::~Open() {
  if (--slab.open == 0 && slab.base) protect(PROT_NONE);
}

void* allocate(size_t bytes) {
  if (slab.used + bytes > settings().memory) return nullptr;
  if (!slab.base) reserve();
  char* data = place(extent(bytes));
  if (!data) return nullptr;
  const Open open;
  protect(PROT_READ | PROT_WRITE);
  asan_unpoison(data, extent(bytes));
  std::memset(data, kPoison, extent(bytes));
  asan_poison(data + bytes, extent(bytes) - bytes);
  observe(data, bytes, Access::allocate, {});
  slab.live.emplace(data, bytes);
  slab.used += bytes;
  return data;
}

bool free(void* data) {
  const auto it = slab.live.find(static_cast<char*>(data));
  if (it == slab.live.end()) return false;
  const auto [start, bytes] = *it;
  const Open open;
  check_guard(start, bytes);
  std::memset(start, kPoison, bytes);
  asan_poison(start, extent(bytes));
  slab.live.erase(it);
  slab.used -= bytes;
  slab.holes.emplace(start, extent(bytes));
  merge_holes();
  return true;
}

size_t used() { return slab.used; }

void check_guards() {
  for (const auto& [start, bytes] : slab.live) check_guard(start, bytes);
}

void* allocate_pinned(size_t bytes) {
  void* data = std::aligned_alloc(4096, round_up(bytes, 4096));
  if (data) pinned.emplace(static_cast<char*>(data), bytes);
  return data;
}

bool free_pinned(void* data) {
  if (pinned.erase(static_cast<char*>(data)) == 0) return false;
  std::free(data);
  return true;
}

bool is_device(const void* data, size_t bytes) { return inside(slab.live, data, bytes); }
bool is_pinned(const void* data, size_t bytes) { return inside(pinned, data, bytes); }
bool in_slab(const void* address) {
  return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(slab.base) < slab.bytes;
}

}  // namespace xf::sim::memory
