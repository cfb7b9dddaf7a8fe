#include "tools/config/build_info.h"

#include <dnnl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>

#include "core/device.h"
#include "core/parallel.h"
#include "core/processor.h"

namespace xf::tools {

std::string version() { return XFORMER_VERSION; }

std::string version_line(const std::string& program) {
  // The part before a space: a subcommand has no version of its own.
  return fmt::format("{} {}", program.substr(0, program.find(' ')), version());
}

namespace {

std::string cuda_line() {
  if (!XF_CUDA) return "absent: this build computes on the CPU only";
  const DeviceChoice choice = choose_device("auto");
  return choice.why_not_cuda.empty() ? "built in, " + description_of(choice.device)
                                     : "built in, not usable: " + choice.why_not_cuda;
}

}  // namespace

std::string product_instructions() {
  const dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
  switch (isa) {
    case dnnl_cpu_isa_sse41: return "SSE4.1";
    case dnnl_cpu_isa_avx: return "AVX";
    case dnnl_cpu_isa_avx2: return "AVX2";
    case dnnl_cpu_isa_avx512_core: return "AVX-512";
    case dnnl_cpu_isa_avx512_core_vnni: return "AVX-512 VNNI";
    case dnnl_cpu_isa_avx512_core_bf16: return "AVX-512 BF16";
    case dnnl_cpu_isa_avx512_core_amx: return "AVX-512 AMX";
    default: return fmt::format("instruction set {:#x}", static_cast<unsigned>(isa));
  }
}

std::string build_line() {
  return fmt::format("{} {}, {}, kernels {}, oneDNN for {}", XF_COMPILER, __VERSION__, XF_BUILD_TYPE,
                     name_of(cpu_level()), product_instructions());
}

std::string build_info() {
  const dnnl_version_t* onednn = dnnl_version();
  std::vector<std::string_view> names;
  for (const CpuLevel level : usable_cpu_levels()) names.push_back(name_of(level));
  return fmt::format(
      "xformer {}\n"
      "compiler   {} {}\n"
      "build      {}, {}\n"
      "kernels    {} (this processor has: {})\n"
      "oneDNN     {}.{}.{}, {} (matrix products on the CPU)\n"
      "threads    {} (OpenMP {})\n"
      "CUDA       {}\n",
      XFORMER_VERSION, XF_COMPILER, __VERSION__, XF_BUILD_TYPE, XF_BUILD_FLAGS, name_of(cpu_level()),
      fmt::join(names, ", "), onednn->major, onednn->minor, onednn->patch, product_instructions(),
      default_threads(), _OPENMP, cuda_line());
}

}  // namespace xf::tools
