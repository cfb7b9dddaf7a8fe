// What kernels compiled with -fsanitize=thread come to, by way of tsan_hooks.cpp; the sanitiser's
// own library is not linked. Defined by race_check.cpp, which checks, and by traffic.cpp, which
// counts: a program has one of them.
#pragma once

#include <cstddef>

#include "tests/sim/observer.h"

namespace xf::sim {

// By the compiled code at `pc`.
void access(const void* address, size_t bytes, Access access, const void* pc);

}  // namespace xf::sim
