// The runtime's functions for memory.
#include <cstring>
#include <vector>

#include "core/error.h"
#include "tests/sim/memory.h"
#include "tests/sim/observer.h"
#include "tests/sim/settings.h"
#include "tests/sim/stream.h"

namespace xf::sim {

namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

struct Rows {
  void* to;
  const void* from;
  size_t to_pitch, from_pitch, width, height;
  cudaMemcpyKind kind;

  bool to_device() const { return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice; }
  bool from_device() const { return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice; }
  size_t to_extent() const { return (height - 1) * to_pitch + width; }
  size_t from_extent() const { return (height - 1) * from_pitch + width; }
};

// A real copy that left its allocations would fail or read other people's memory; here it always
// fails.
void check_end(const char* which, const void* data, size_t bytes, bool on_device) {
  if (memory::is_device(data, bytes) == on_device && (on_device || !memory::in_slab(data))) return;
  fail(ErrorKind::failure, "sim: cudaMemcpy: the {} is {} ({} bytes)", which,
       on_device ? "not inside one live allocation of the device"
                 : "device memory, and the call says the host's",
       bytes);
}

void copy(const Rows& rows) {
  check_end("target", rows.to, rows.to_extent(), rows.to_device());
  check_end("source", rows.from, rows.from_extent(), rows.from_device());
  for (size_t r = 0; r < rows.height; ++r) {
    std::memmove(static_cast<char*>(rows.to) + r * rows.to_pitch,
                 static_cast<const char*>(rows.from) + r * rows.from_pitch, rows.width);
    observe(static_cast<const char*>(rows.from) + r * rows.from_pitch, rows.width, Access::read, {});
    observe(static_cast<char*>(rows.to) + r * rows.to_pitch, rows.width, Access::write, {});
  }
}

// Of the host's pageable memory the runtime has read what it needs when it returns. It has also
// written what it writes there; no code should lean on that, since a pinned target would not have
// it, and so here it has not.
cudaError_t copy_async(Rows rows, cudaStream_t handle) {
  const Lock lock(machine_lock());
  if (rows.width == 0 || rows.height == 0) return cudaSuccess;
  if (rows.kind == cudaMemcpyDefault) {
    const bool from = memory::in_slab(rows.from), to = memory::in_slab(rows.to);
    rows.kind = static_cast<cudaMemcpyKind>(2 * from + to);
  }
  const bool pageable_from = !rows.from_device() && !memory::is_pinned(rows.from, rows.from_extent());
  const bool pageable_to = !rows.to_device() && !memory::is_pinned(rows.to, rows.to_extent());
  CUstream_st& stream = stream_of(handle);
  if (stream.capture && (pageable_from || pageable_to)) {
    stream.capture->broken = true;
    return set_last_error(cudaErrorStreamCaptureUnsupported);
  }
  if (!pageable_from) {
    push(handle, {cudaGraphNodeTypeMemcpy}, [rows] { copy(rows); });
  } else {
    ++memory::pageable_copies;
    const auto* begin = static_cast<const char*>(rows.from);
    check_end("source", rows.from, rows.from_extent(), false);
    const auto held = std::make_shared<std::vector<char>>(begin, begin + rows.from_extent());
    push(handle, {cudaGraphNodeTypeMemcpy}, [rows, held]() mutable {
      rows.from = held->data();
      copy(rows);
    });
  }
  return cudaSuccess;
}

Rows row(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return {to, from, bytes, bytes, bytes, 1, kind};
}

// 2 = static_cast<int>(from device), as in cudaMemcpyKind.
static_assert(cudaMemcpyHostToDevice == 1 && cudaMemcpyDeviceToHost == 2 && cudaMemcpyDeviceToDevice == 3);

}  // namespace

}  // namespace xf::sim

using namespace xf::sim;

extern "C" {

cudaError_t cudaMalloc(void** data, size_t bytes) {
  const Lock lock(machine_lock());
  if (const cudaError_t error = refuse_in_capture()) return error;
  *data = bytes > 0 ? memory::allocate(bytes) : nullptr;
  return *data || bytes == 0 ? cudaSuccess : set_last_error(cudaErrorMemoryAllocation);
}

// Waits for the device, as the real one does.
cudaError_t cudaFree(void* data) {
  if (!data) return cudaSuccess;
  if (const cudaError_t error = refuse_in_capture()) return error;
  finish(run_all_streams);
  const Lock lock(machine_lock());
  return memory::free(data) ? cudaSuccess : set_last_error(cudaErrorInvalidValue);
}

cudaError_t cudaMallocHost(void** data, size_t bytes) {
  return cudaHostAlloc(data, bytes, cudaHostAllocDefault);
}

cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned int) {
  const Lock lock(machine_lock());
  if (const cudaError_t error = refuse_in_capture()) return error;
  *data = memory::allocate_pinned(bytes);
  return *data ? cudaSuccess : set_last_error(cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeHost(void* data) {
  if (!data) return cudaSuccess;
  if (const cudaError_t error = refuse_in_capture()) return error;
  finish(run_all_streams);
  const Lock lock(machine_lock());
  return memory::free_pinned(data) ? cudaSuccess : set_last_error(cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const Lock lock(machine_lock());
  *total = settings().memory;
  *free = *total - memory::used();
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t error = refuse_in_capture()) return error;
  const cudaError_t error = xf::sim::copy_async(row(to, from, bytes, kind), nullptr);
  finish([] { return run_stream(stream_of(nullptr)); });
  return error;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return xf::sim::copy_async(row(to, from, bytes, kind), stream);
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  if (width > to_pitch || width > from_pitch) return set_last_error(cudaErrorInvalidPitchValue);
  return xf::sim::copy_async({to, from, to_pitch, from_pitch, width, height, kind}, stream);
}

cudaError_t cudaMemset(void* data, int value, size_t bytes) {
  if (const cudaError_t error = refuse_in_capture()) return error;
  const cudaError_t error = cudaMemsetAsync(data, value, bytes, nullptr);
  finish([] { return run_stream(stream_of(nullptr)); });
  return error;
}

cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  return push(stream, {cudaGraphNodeTypeMemset}, [=] {
    check_end("target of cudaMemset", data, bytes, true);
    std::memset(data, value, bytes);
    observe(data, bytes, Access::write, {});
  });
}

}  // extern "C"
