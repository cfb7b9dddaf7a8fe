// The device's memory: one slab of addresses, filled with NaN, a guard behind each allocation. The
// host cannot read or write it: outside of the machine's own work its pages are closed, and a touch
// ends the program with one line.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xf::sim::memory {

void* allocate(size_t bytes);  // null: not enough left. 256-byte aligned
bool free(void* data);         // false: nothing was allocated there
size_t used();

void* allocate_pinned(size_t bytes);
bool free_pinned(void* data);

// Whether all of it lies in one live allocation.
bool is_device(const void* data, size_t bytes);
bool is_pinned(const void* data, size_t bytes);
bool in_slab(const void* address);

// Asynchronous copies so far from the host's pageable memory, for which a real device may make the
// host wait.
inline uint64_t pageable_copies = 0;

// "[32 bytes before the end of an allocation of 4096]" and the like, for messages.
// Guards of all live allocations; throws where something wrote past an end.
void check_guards();

// While one lives, the slab is open.
class Open {
 public:
  Open();
  ~Open();
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
};

}  // namespace xf::sim::memory
