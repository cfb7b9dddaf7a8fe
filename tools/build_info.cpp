#include "tools/build_info.h"

#include <dnnl.h>
#include <fmt/format.h>
#include <omp.h>

#include "core/device.h"
#include "core/parallel.h"

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
  return choice.why_not_cuda.empty() ? "built in, " + name_of(choice.device)
                                     : "built in, not usable: " + choice.why_not_cuda;
}

}  // namespace

std::string build_info() {
  const dnnl_version_t* onednn = dnnl_version();
  return fmt::format(
      "xformer {}\n"
      "compiler   {} {}\n"
      "build      {}, {}\n"
      "oneDNN     {}.{}.{} (matrix products on the CPU)\n"
      "threads    {} (OpenMP {})\n"
      "CUDA       {}\n",
      XFORMER_VERSION, XF_COMPILER, __VERSION__, XF_BUILD_TYPE, XF_BUILD_FLAGS, onednn->major, onednn->minor,
      onednn->patch, available_threads(), _OPENMP, cuda_line());
}

}  // namespace xf::tools
