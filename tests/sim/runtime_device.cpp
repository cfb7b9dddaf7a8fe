// The runtime's functions for the device itself and for errors.
#include <cstring>
#include <map>
#include <string>

#include "tests/sim/launch.h"
#include "tests/sim/settings.h"
#include "tests/sim/shared_memory.h"
#include "tests/sim/stream.h"
#include "tests/sim/symbols.h"

using namespace xf::sim;

namespace {

constexpr int kMajor = 9, kMinor = 0, kMultiprocessors = 4, kL2 = 1 << 20;
constexpr int kVersion = CUDART_VERSION;

thread_local int device_of_thread = 0;

bool is_there(int device) { return device >= 0 && device < settings().devices; }

const char* name_of(cudaError_t error) {
  switch (error) {
#define XF_SIM_NAME(name) \
  case name: return #name
    XF_SIM_NAME(cudaSuccess);
    XF_SIM_NAME(cudaErrorInvalidValue);
    XF_SIM_NAME(cudaErrorMemoryAllocation);
    XF_SIM_NAME(cudaErrorInvalidConfiguration);
    XF_SIM_NAME(cudaErrorInvalidPitchValue);
    XF_SIM_NAME(cudaErrorInvalidMemcpyDirection);
    XF_SIM_NAME(cudaErrorInsufficientDriver);
    XF_SIM_NAME(cudaErrorInvalidDeviceFunction);
    XF_SIM_NAME(cudaErrorNoDevice);
    XF_SIM_NAME(cudaErrorInvalidDevice);
    XF_SIM_NAME(cudaErrorNoKernelImageForDevice);
    XF_SIM_NAME(cudaErrorInvalidResourceHandle);
    XF_SIM_NAME(cudaErrorNotReady);
    XF_SIM_NAME(cudaErrorIllegalAddress);
    XF_SIM_NAME(cudaErrorLaunchFailure);
    XF_SIM_NAME(cudaErrorSystemNotReady);
    XF_SIM_NAME(cudaErrorStreamCaptureUnsupported);
    XF_SIM_NAME(cudaErrorStreamCaptureInvalidated);
    XF_SIM_NAME(cudaErrorStreamCaptureUnmatched);
    XF_SIM_NAME(cudaErrorStreamCaptureUnjoined);
    XF_SIM_NAME(cudaErrorStreamCaptureIsolation);
    XF_SIM_NAME(cudaErrorCapturedEvent);
#undef XF_SIM_NAME
  }
  return "unrecognized error code";
}

}  // namespace

int xf::sim::current_device() { return device_of_thread; }

extern "C" {

cudaError_t cudaGetLastError() { return take_last_error(); }
cudaError_t cudaPeekAtLastError() { return peek_last_error(); }
const char* cudaGetErrorName(cudaError_t error) { return name_of(error); }
const char* cudaGetErrorString(cudaError_t error) { return name_of(error); }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = settings().device_error == 0 ? settings().devices : 0;
  return set_last_error(static_cast<cudaError_t>(settings().device_error));
}

cudaError_t cudaSetDevice(int device) {
  if (!is_there(device)) return set_last_error(cudaErrorInvalidDevice);
  device_of_thread = device;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = device_of_thread;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  const std::map<cudaDeviceAttr, int> values = {
      {cudaDevAttrMaxThreadsPerBlock, 1024},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(kStaticShared)},
      {cudaDevAttrWarpSize, static_cast<int>(kWarp)},
      {cudaDevAttrClockRate, 1'000'000},
      {cudaDevAttrMultiProcessorCount, kMultiprocessors},
      {cudaDevAttrMemoryClockRate, 1'000'000},
      {cudaDevAttrGlobalMemoryBusWidth, 128},
      {cudaDevAttrL2CacheSize, kL2},
      {cudaDevAttrComputeCapabilityMajor, kMajor},
      {cudaDevAttrComputeCapabilityMinor, kMinor},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 228 << 10},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(settings().shared)}};
  if (!is_there(device)) return set_last_error(cudaErrorInvalidDevice);
  const auto it = values.find(attribute);
  if (it == values.end()) return set_last_error(cudaErrorInvalidValue);
  *value = it->second;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (!is_there(device)) return set_last_error(cudaErrorInvalidDevice);
  *properties = {};
  std::strcpy(properties->name, "sim");
  properties->totalGlobalMem = settings().memory;
  properties->sharedMemPerBlock = kStaticShared;
  properties->sharedMemPerBlockOptin = settings().shared;
  properties->warpSize = static_cast<int>(kWarp);
  properties->major = kMajor;
  properties->minor = kMinor;
  properties->multiProcessorCount = kMultiprocessors;
  properties->l2CacheSize = kL2;
  properties->memoryBusWidth = 128;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = kVersion;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return set_last_error(cudaErrorInvalidValue);
  return set_last_error(allow_shared_memory(kernel, value));
}

cudaError_t cudaFuncGetName(const char** name, const void* kernel) {
  static std::map<const void*, std::string> names;
  std::string& held = names[kernel];
  const std::string* const of_library = name_at(kernel);
  held = of_library ? *of_library : function_at(kernel);
  *name = held.c_str();
  return cudaSuccess;
}

}  // extern "C"
