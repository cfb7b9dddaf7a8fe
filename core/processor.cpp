#include "core/processor.h"

#include <cstdlib>
#include <string>

#include "core/error.h"

namespace xf {

namespace {

bool has_x86_64_v4() {
#if XF_AVX512_LEVEL
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace

std::string_view name_of(CpuLevel level) {
  if (level == CpuLevel::avx512) return "avx512";
  return XF_NATIVE ? "native" : "avx2";
}

std::vector<CpuLevel> usable_cpu_levels() {
  std::vector<CpuLevel> levels = {CpuLevel::baseline};
  if (has_x86_64_v4()) levels.push_back(CpuLevel::avx512);
  return levels;
}

CpuLevel choose_cpu_level(std::string_view asked, const std::vector<CpuLevel>& usable) {
  if (asked.empty()) return usable.back();
  std::string names;
  for (const CpuLevel level : usable) {
    if (name_of(level) == asked) return level;
    names += (names.empty() ? "" : ", ") + std::string(name_of(level));
  }
  fail(ErrorKind::usage, "XFORMER_CPU_LEVEL is {}, but this build on this processor has: {}", asked, names);
}

CpuLevel cpu_level() {
  static const CpuLevel level = [] {
    const char* const asked = std::getenv("XFORMER_CPU_LEVEL");
    return choose_cpu_level(asked ? asked : "", usable_cpu_levels());
  }();
  return level;
}

}  // namespace xf
