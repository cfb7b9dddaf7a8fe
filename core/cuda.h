// The CUDA runtime as the engine uses it: one device, two lanes, scratch memory, and errors as
// xf::Error. The only header of core/ that knows CUDA; for core/ itself and kernels/cuda/.
//
// A process computes on one CUDA device, the first that it asks for. Everything runs in order on
// one stream of it, but for that of run_on_side_stream(), which has a lane of its own: a stream,
// and scratch memory.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

#include "core/memory.h"

namespace xf::cuda {

// Throws: ErrorKind::resources for memory, failure otherwise. `what` names the call.
void check(cudaError_t status, const char* what);

// Makes it this process's device.
void compute_on(Device device);

// The lane of what is queued now, and its stream.
constexpr size_t kLanes = 2;
size_t lane();
cudaStream_t stream();

// Behind core/side_stream.h; what ran there before is joined.
void run_on_side_stream(const std::function<void()>& work);
void join_side_stream() noexcept;

// Scratch for one op: 256-byte aligned, valid until another op asks. Repeated requests that are no
// larger give the same address, so that a captured graph can replay; a larger one, not during a
// capture, leaves the older memory in place for graphs that know it. Each lane has its own.
void* workspace(int64_t bytes);

// Bytes of shared memory that a block may have at most: 227 KiB on Hopper, 99 KiB on sm_86, 89 and
// 120.
int64_t most_shared_memory();

// Gets the seconds that a wait for the device has taken so far, now and then while it lasts, and
// may throw. Empty: nobody looks.
void look_while_waiting(std::function<void(double)> look);

// Behind core/memory.h.
std::shared_ptr<void> allocate(Device device, int64_t bytes);
void copy(const memory::Rows& to, const memory::Rows& from, int64_t width, int64_t rows);
void zero(void* data, int64_t bytes);
int64_t available(Device device);

// Behind core/graph.h: what `work` queues, as an executable graph.
std::shared_ptr<void> record(const std::function<void()>& work);
void replay(void* graph);
// Its nodes: a kernel's name without scopes and parameters, "copy", "fill" or "host". Kernels that
// a library loaded by itself may have no name that the runtime knows: "kernel of a library".
std::vector<std::string> launches(void* graph);

// Behind core/upload.h. An event marks a place in the stream; one that was never marked is not
// waited for.
std::shared_ptr<void> allocate_page_locked(int64_t bytes);
std::shared_ptr<void> make_event();
void mark(void* event);
void wait_for(void* event);

// cuBLASLt's library, for dlsym. Loaded when first asked for, so that a program starts, and
// computes on the CPU, where it is not installed. Null: it is in none of the places that
// cublaslt_places() names.
void* cublaslt_library();
std::string cublaslt_places();

// What stands between this process and device `index`, in words for a user: no device, no driver or
// one that is too old, an architecture that is too old, no cuBLASLt; empty: nothing.
std::string obstacle(int index);
std::string product_name(int index);
int device_count();  // 0 where there is an obstacle for all

}  // namespace xf::cuda
