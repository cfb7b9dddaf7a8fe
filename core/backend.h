// The backends' tags, by which a kernel's implementations are overloaded. Which of them a build has, core/dispatch.h alone
// knows: what includes no more than this is the same with CUDA and without.
#pragma once

#include "core/processor.h"

namespace xf {

// The CPU backend is compiled once per level of the processor; code above it sees one CPU.
template <CpuLevel>
struct Cpu {};
struct Cuda {};

}  // namespace xf
