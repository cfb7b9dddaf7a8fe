// Device memory of a test, and settings that last as long as the test.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "tests/sim/settings.h"
#include "tests/support/catch.h"

namespace xf::sim {

template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) {
    void* data = nullptr;
    REQUIRE(cudaMalloc(&data, count * sizeof(T)) == cudaSuccess);
    data_ = static_cast<T*>(data);
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    REQUIRE(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  size_t bytes() const { return count_ * sizeof(T); }
  std::vector<T> values() const {
    std::vector<T> out(count_);
    REQUIRE(cudaMemcpy(out.data(), data_, bytes(), cudaMemcpyDeviceToHost) == cudaSuccess);
    return out;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

class WithSettings {
 public:
  explicit WithSettings(void (*change)(Settings&)) { change(settings()); }
  ~WithSettings() { settings() = before_; }

 private:
  Settings before_ = settings();
};

struct Stream {
  Stream() { REQUIRE(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking) == cudaSuccess); }
  ~Stream() { cudaStreamDestroy(handle); }
  cudaStream_t handle = nullptr;
};

}  // namespace xf::sim
