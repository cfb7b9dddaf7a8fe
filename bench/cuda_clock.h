// What bench/device_clock.h needs of CUDA. In a build without it these refuse: no device can be
// asked for there.
#pragma once

#include "bench/device_clock.h"

namespace xf::bench {

std::unique_ptr<DeviceClock> make_cuda_clock(const std::function<void()>& work);
int64_t cuda_cache_bytes(int index);
std::vector<std::pair<std::string, std::string>> describe_cuda(int index);

}  // namespace xf::bench
