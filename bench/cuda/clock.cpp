#include "bench/cuda_clock.h"
#include "core/cuda.h"
#include "core/error.h"
#include "kernels/cuda/cublaslt.h"

namespace xf::bench {

namespace {

// Events of the runtime's with times; core/cuda.h's have none.
class Event {
 public:
  Event() { cuda::check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record() const { cuda::check(cudaEventRecord(event_, cuda::stream()), "cudaEventRecord"); }
  void wait() const { cuda::check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  double seconds_since(const Event& start) const {
    float milliseconds = 0;
    cuda::check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class ReplayClock : public DeviceClock {
 public:
  explicit ReplayClock(const std::function<void()>& work) : graph_(cuda::record(work)) {}
  double time() override {
    start_.record();
    cuda::replay(graph_.get());
    end_.record();
    end_.wait();
    return end_.seconds_since(start_);
  }

 private:
  std::shared_ptr<void> graph_;
  Event start_, end_;
};

int attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  cuda::check(cudaDeviceGetAttribute(&value, which, index), "cudaDeviceGetAttribute");
  return value;
}

std::string cublaslt_version(size_t number) {
  return fmt::format("{}.{}.{}", number / 10000, number % 10000 / 100, number % 100);
}

std::string version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

}  // namespace

std::unique_ptr<DeviceClock> make_cuda_clock(const std::function<void()>& work) {
  return std::make_unique<ReplayClock>(work);
}

int64_t cuda_cache_bytes(int index) { return attribute(cudaDevAttrL2CacheSize, index); }

std::vector<std::pair<std::string, std::string>> describe_cuda(int index) {
  cudaDeviceProp properties{};
  cuda::check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  int driver = 0, runtime = 0;
  cuda::check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  cuda::check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  return {
      {"gpu", properties.name},
      {"gpu_architecture", fmt::format("sm_{}{}, {} multiprocessors", properties.major, properties.minor,
                                       properties.multiProcessorCount)},
      {"gpu_memory_gb", fmt::format("{:.0f}", static_cast<double>(properties.totalGlobalMem) / 1e9)},
      {"gpu_clock_mhz", fmt::format("at most {}, memory {}", attribute(cudaDevAttrClockRate, index) / 1000,
                                    attribute(cudaDevAttrMemoryClockRate, index) / 1000)},
      {"cuda_driver", version(driver)},
      {"cuda_runtime", version(runtime)},
      {"cublaslt", cublaslt_version(kernels::cublaslt().cublasLtGetVersion())}};
}

}  // namespace xf::bench
