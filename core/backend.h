// The backends' tags, by which a kernel's implementations are overloaded. Which of them a build
// has, core/dispatch.h alone knows: what includes no more than this is the same with CUDA and
// without.
#pragma once

#include "core/processor.h"

namespace xf {

// The CPU backend is compiled once per level of the processor; code above it sees one CPU.
template <CpuLevel>
struct Cpu {};
struct Cuda {};

// An op's function in every backend, of which core/dispatch.h calls one: void name(backend, const
// Args<T>&).
#define XF_BACKENDS(name, Args)      \
  template <typename T, CpuLevel L>  \
  void name(Cpu<L>, const Args<T>&); \
  template <typename T>              \
  void name(Cuda, const Args<T>&)

}  // namespace xf
