#include "bench/device_clock.h"

#include <unistd.h>

#include "bench/cuda_clock.h"
#include "bench/interleaved_timer.h"

namespace xf::bench {

namespace {

class HostClock : public DeviceClock {
 public:
  explicit HostClock(std::function<void()> work) : work_(std::move(work)) {}
  double time() override {
    const double start = now();
    work_();
    return now() - start;
  }

 private:
  std::function<void()> work_;
};

constexpr int64_t kUnknownCache = 32ll << 20;  // as large as third-level caches usually are

}  // namespace

std::unique_ptr<DeviceClock> make_clock(Device device, std::function<void()> work) {
  if (device.type == DeviceType::cuda) return make_cuda_clock(work);
  return std::make_unique<HostClock>(std::move(work));
}

int64_t cache_bytes(Device device) {
  if (device.type == DeviceType::cuda) return cuda_cache_bytes(device.index);
  const int64_t bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? bytes : kUnknownCache;
}

std::vector<std::pair<std::string, std::string>> describe(Device device) {
  if (device.type == DeviceType::cuda) return describe_cuda(device.index);
  return {};
}

}  // namespace xf::bench
