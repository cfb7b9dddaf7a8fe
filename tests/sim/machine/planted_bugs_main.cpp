// planted_bugs NAME: runs one kernel of planted_bugs.cu, or device_memory_on_host. Exit 0: nothing
// was found and y is what the program expects of the right ones; 1: the machine found something,
// told in one line; 2: only y is wrong.
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include "tests/sim/machine/planted_bugs.h"

namespace {

// The host reads what a kernel would.
int read_on_host() {
  float* y = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&y), sizeof(float));
  cudaMemset(y, 0, sizeof(float));
  std::printf("%g\n", static_cast<double>(*y));
  return 0;
}

int run(const xf::planted::PlantedBug& bug) {
  constexpr size_t kIn = 256, kOut = 128;
  std::vector<float> in(kIn, 1.0f), out(kOut);
  float *x = nullptr, *y = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&x), kIn * sizeof(float));
  cudaMalloc(reinterpret_cast<void**>(&y), kOut * sizeof(float));
  cudaMemcpy(x, in.data(), kIn * sizeof(float), cudaMemcpyHostToDevice);
  const auto is = [&](const char* name) { return std::strcmp(bug.name, name) == 0; };
  if (!is("global_not_written")) cudaMemset(y, 0, kOut * sizeof(float));
  if (is("read_after_free")) cudaFree(x);
  xf::planted::run_planted_bug(bug, is("read_from_host") ? in.data() : x, y);
  cudaDeviceSynchronize();
  cudaMemcpy(out.data(), y, kOut * sizeof(float), cudaMemcpyDeviceToHost);
  for (float value : out) {
    if (!std::isfinite(value)) {
      std::puts("wrong values");
      return 2;
    }
  }
  std::puts("nothing found");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "device_memory_on_host") == 0) return read_on_host();
  const xf::planted::PlantedBug* bug = argc == 2 ? xf::planted::find_planted_bug(argv[1]) : nullptr;
  if (!bug) {
    std::puts("usage: planted_bugs NAME");
    return 64;
  }
  try {
    return run(*bug);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
