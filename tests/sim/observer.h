// The race check's view of memory that the machine itself touches: for a kernel, in atomics,
// cp.async and ldmatrix; for the host, in copies and products, and when it is allocated. Kernels'
// own loads and stores come to it through the compiler (instrumented.h). Does nothing unless the
// race check, or the count of traffic, is linked.
#pragma once

#include <cstddef>

#include "tests/sim/site.h"

namespace xf::sim {

// start_copy: a write that has begun and cannot be read yet.
enum class Access { read, write, atomic, start_copy, allocate };

inline void (*observer)(const void* address, size_t bytes, Access access, Site site) = nullptr;

inline void observe(const void* address, size_t bytes, Access access, Site site) {
  if (observer) observer(address, bytes, access, site);
}

}  // namespace xf::sim
