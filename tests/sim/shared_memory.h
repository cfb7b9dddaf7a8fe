// A block's shared memory: an arena of NaN bytes, an array after another with a guard behind each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/sim/block.h"

namespace xf::sim {

constexpr size_t kStaticShared = 48 << 10;  // what __shared__ arrays may have in all
constexpr size_t kSharedArena = 512 << 10;

void open_shared_memory(size_t dynamic_bytes);
void check_shared_memory();  // the guards
unsigned char* dynamic_shared_memory();
bool in_shared_memory(const void* address);
bool in_shared_array(const void* address, size_t bytes);  // inside one array of this block
const unsigned char* shared_arena();

// Where an array of this block is: the block it was made for, and its address.
struct SharedArray {
  uint64_t serial = 0;
  void* data = nullptr;
};
void* make_shared_array(size_t bytes, size_t alignment, const char* name, Site site);

// One array per declaration: `Declaration` is a type that no other declaration has.
template <typename Declaration>
inline SharedArray shared_array;

template <typename T, typename Declaration>
T& shared(Declaration, const char* name, Site site) {
  SharedArray& array = shared_array<Declaration>;
  if (array.serial != block().serial()) {
    constexpr size_t kAlignment = alignof(T) < 16 ? 16 : alignof(T);
    array = {block().serial(), make_shared_array(sizeof(T), kAlignment, name, site)};
  }
  return *static_cast<T*>(array.data);
}

}  // namespace xf::sim
