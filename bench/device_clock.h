// How long work takes on a device: by the host's clock on the CPU, by events around a replayed
// graph on CUDA, where a host's clock would measure launches.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/device.h"

namespace xf::bench {

class DeviceClock {
 public:
  virtual ~DeviceClock() = default;
  // Seconds of one execution.
  virtual double time() = 0;
};

// `work` has run before: on CUDA it is recorded here, and only replayed from then on.
std::unique_ptr<DeviceClock> make_clock(Device device, std::function<void()> work);

// Bytes of the last-level cache, for what should not lie in it.
int64_t cache_bytes(Device device);

// Of a CUDA device: name, driver, runtime, clocks, as pairs of name and value; nothing on the CPU.
std::vector<std::pair<std::string, std::string>> describe(Device device);

}  // namespace xf::bench
