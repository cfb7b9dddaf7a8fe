// The race check: every byte of shared and global memory remembers who last wrote and who last read it; two accesses
// of which one writes must be ordered, by CUDA's rules: the same thread; a __syncthreads between them (one block), a
// __syncwarp (one warp); two launches; or both atomic. Shuffles order nothing. Found as well: accesses outside of live
// memory and to the host's, and reads of what nobody has written. Kernels compiled with -fsanitize=thread call it
// through tsan_hooks.cpp; the sanitiser's own library is not linked. What it found is thrown at the end of the block.
#pragma once

#include <cstddef>

#include "tests/sim/observer.h"

namespace xf::sim::race {

// By the compiled code at `pc`.
void access(const void* address, size_t bytes, Access access, const void* pc);

}  // namespace xf::sim::race
