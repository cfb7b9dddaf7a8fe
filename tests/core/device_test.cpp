#include "core/device.h"

#include "core/error.h"
#include "tests/support/catch.h"

using namespace xf;

#if !XF_CUDA
TEST_CASE("Device: a build without CUDA tells of it only where there is an NVIDIA driver", "[unit]") {
  const DeviceChoice without = choose_device("auto", "no such file");
  CHECK(without.device == Device::cpu());
  CHECK(without.why_not_cuda.empty());
  const DeviceChoice with = choose_device("auto", "/dev/null");
  CHECK(with.device == Device::cpu());
  CHECK(with.why_not_cuda == "this build has no CUDA backend; cmake --preset cuda makes one");
  CHECK(choose_device("cpu", "/dev/null").why_not_cuda.empty());
}

TEST_CASE("Device: a build without CUDA refuses one that is asked for, and says what to do", "[unit]") {
  CHECK_THROWS_AS(choose_device("cuda"), Error);
  CHECK_THROWS_AS(choose_device("cuda:1"), Error);
}
#endif

TEST_CASE("Device: words that name no device are refused", "[unit]") {
  for (const char* const spec : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "CPU"}) {
    INFO(spec);
    CHECK_THROWS_AS(choose_device(spec), Error);
  }
}
