// Runs a kernel over its grid, in the order of blocks that the schedule says.
#pragma once

#include <memory>
#include <tuple>
#include <utility>

#include "tests/sim/block.h"
#include "tests/sim/include/cuda_runtime_api.h"

namespace xf::sim {

struct Launch {
  Grid grid;
  std::shared_ptr<const void> arguments;  // what grid.arguments points to
};

// What a real launch would refuse is refused: an error that cudaGetLastError() returns, too.
cudaError_t check_launch(const void* kernel, dim3 grid, dim3 block, size_t shared_bytes);
// cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes).
cudaError_t allow_shared_memory(const void* kernel, int bytes);
// Into the stream, to run now or later.
cudaError_t enqueue_launch(cudaStream_t stream, Launch launch);

// One thread: the kernel with its arguments.
template <typename... Parameters>
void call_kernel(const void* kernel, const void* arguments) {
  std::apply(reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(kernel)),
             *static_cast<const std::tuple<Parameters...>*>(arguments));
}

// kernel<<<grid, block, shared_bytes, stream>>>(arguments...); arguments are copied now, as on the
// device.
template <typename... Parameters, typename... Arguments>
cudaError_t launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes,
                          cudaStream_t stream, Arguments&&... arguments) {
  const auto address = reinterpret_cast<const void*>(kernel);
  if (const cudaError_t status = check_launch(address, grid, block, shared_bytes)) return status;
  const auto held = std::make_shared<std::tuple<Parameters...>>(std::forward<Arguments>(arguments)...);
  const Grid what{address, grid, block, shared_bytes, call_kernel<Parameters...>, held.get(), sizeof *held};
  return enqueue_launch(stream, {what, held});
}

}  // namespace xf::sim
