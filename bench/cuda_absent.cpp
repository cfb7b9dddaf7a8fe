#include "bench/cuda_clock.h"
#include "core/error.h"

namespace xf::bench {

namespace {

[[noreturn]] void refuse() { fail(ErrorKind::usage, "this build has no CUDA backend"); }

}  // namespace

std::unique_ptr<DeviceClock> make_cuda_clock(const std::function<void()>&) { refuse(); }
int64_t cuda_cache_bytes(int) { refuse(); }
std::vector<std::pair<std::string, std::string>> describe_cuda(int) { refuse(); }

}  // namespace xf::bench
