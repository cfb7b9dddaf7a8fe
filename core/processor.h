// Which instructions the CPU's own kernels use. A build for x86-64-v3 holds those kernels twice,
// compiled for that level and for x86-64-v4 (kernels/CMakeLists.txt), and a process uses the best
// that its processor has. A build for one machine (XFORMER_NATIVE), or for another architecture,
// holds them once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace xf {

enum class CpuLevel : uint8_t {
  baseline,  // what the whole build was compiled for
  avx512,    // x86-64-v4: AVX-512 F, BW, CD, DQ, VL
};

// "avx512"; the baseline is "avx2" where it is x86-64-v3, else "native".
std::string_view name_of(CpuLevel level);

// Those of this build that this processor can run, the best one last.
std::vector<CpuLevel> usable_cpu_levels();

// The level named `asked`, or the best one if that is empty. Error usage, naming the usable ones:
// any other.
CpuLevel choose_cpu_level(std::string_view asked, const std::vector<CpuLevel>& usable);

// The level of this process: $XFORMER_CPU_LEVEL, else the best; fixed by the first call. Errors as
// above.
CpuLevel cpu_level();

}  // namespace xf
