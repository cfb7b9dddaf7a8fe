// What the sources of kernels/cpu/ are compiled for, this time (core/processor.h).
#pragma once

#include "core/processor.h"

#ifndef XF_CPU_LEVEL
#define XF_CPU_LEVEL baseline
#endif

namespace xf::kernels {

constexpr CpuLevel kLevel = CpuLevel::XF_CPU_LEVEL;

// The widest register, for kernels that fill registers by hand.
#ifdef __AVX512F__
constexpr int64_t kRegisterBytes = 64;
#else
constexpr int64_t kRegisterBytes = 32;
#endif

}  // namespace xf::kernels
