// Memory, streams, events and graphs of the software GPU, against the runtime's manual.
#include <cmath>
#include <cstring>
#include <string>

#include "core/error.h"
#include "tests/sim/machine/machine_kernels.h"
#include "tests/sim/machine/support.h"
#include "tests/support/catch.h"

namespace xf::sim {

namespace {

constexpr int kCount = 1000;
const auto lazy = [](Settings& s) { s.lazy_streams = true; };

struct Pinned {
  explicit Pinned(size_t count) {
    void* memory = nullptr;
    REQUIRE(cudaMallocHost(&memory, count * sizeof(float)) == cudaSuccess);
    data = static_cast<float*>(memory);
    std::fill_n(data, count, 0.0f);
  }
  ~Pinned() { cudaFreeHost(data); }
  float* data;
};

// Three kernels and a copy back, as a training step would have them.
void step(const DeviceArray<float>& x, const Pinned& out, cudaStream_t stream) {
  run_scale(x.data(), kCount, 2, 1, stream);
  run_scale(x.data(), kCount, 0.5f, -3, stream);
  cudaMemcpyAsync(out.data, x.data(), x.bytes(), cudaMemcpyDeviceToHost, stream);
}

}  // namespace

TEST_CASE("Memory: what was not written is NaN, and one byte past the end is found", "[unit]") {
  const DeviceArray<float> x(3);
  for (float value : x.values()) CHECK(std::isnan(value));
  CHECK_THROWS_WITH(cudaMemset(x.data(), 0, x.bytes() + 1),
                    Catch::Contains("not inside one live allocation"));
  std::vector<float> host(4);
  CHECK_THROWS_AS(cudaMemcpy(host.data(), x.data() + 1, x.bytes(), cudaMemcpyDeviceToHost), Error);
  // the wrong direction
  CHECK_THROWS_AS(cudaMemcpy(x.data(), x.data(), 4, cudaMemcpyHostToDevice), Error);
}

TEST_CASE("Memory: the device runs out of it", "[unit]") {
  const WithSettings settings([](Settings& s) { s.memory = size_t{1} << 20; });
  size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  CHECK(total == size_t{1} << 20);
  void* data = nullptr;
  CHECK(cudaMalloc(&data, total + 1) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaFree(&data) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("Memory: rows are copied with their pitches", "[unit]") {
  const DeviceArray<float> x(std::vector<float>(12, 0.0f));
  const std::vector<float> from = {1, 2, 3, 4};
  CHECK(cudaMemcpy2DAsync(x.data() + 1, 16, from.data(), 8, 8, 2, cudaMemcpyHostToDevice, nullptr) ==
        cudaSuccess);
  cudaStreamSynchronize(nullptr);
  CHECK(x.values() == std::vector<float>{0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0});
}

TEST_CASE("Streams: a lazy stream shows a missing wait", "[unit]") {
  const WithSettings settings(lazy);
  const Stream stream;
  const DeviceArray<float> x(std::vector<float>(kCount, 2.0f));
  const Pinned out(kCount);
  step(x, out, stream.handle);
  CHECK(out.data[0] == 0);  // nothing has happened yet
  cudaStreamSynchronize(stream.handle);
  CHECK(out.data[0] == -0.5f);
}

TEST_CASE("Streams: an event orders two lazy streams, and without it they are not ordered", "[unit]") {
  for (const bool wait : {true, false}) {
    const WithSettings settings(lazy);
    const Stream first, second;
    cudaEvent_t event = nullptr;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    const DeviceArray<float> x(std::vector<float>(kCount, 1.0f));
    const Pinned out(kCount);
    run_scale(x.data(), kCount, 3, 0, first.handle);
    cudaEventRecord(event, first.handle);
    if (wait) cudaStreamWaitEvent(second.handle, event, 0);
    cudaMemcpyAsync(out.data, x.data(), x.bytes(), cudaMemcpyDeviceToHost, second.handle);
    cudaStreamSynchronize(second.handle);
    CHECK(out.data[0] == (wait ? 3 : 1));
    cudaEventDestroy(event);
  }
}

TEST_CASE("Streams: a pinned source is read when the copy runs, a pageable one at once", "[unit]") {
  const WithSettings settings(lazy);
  const Stream stream;
  const DeviceArray<float> x(1), y(1);
  const Pinned pinned(1);
  float pageable = 1;
  pinned.data[0] = 1;
  cudaMemcpyAsync(x.data(), pinned.data, 4, cudaMemcpyHostToDevice, stream.handle);
  cudaMemcpyAsync(y.data(), &pageable, 4, cudaMemcpyHostToDevice, stream.handle);
  pinned.data[0] = pageable = 2;
  cudaStreamSynchronize(stream.handle);
  CHECK(x.values()[0] == 2);
  CHECK(y.values()[0] == 1);
}

TEST_CASE("Streams: a wait that XF_SIM_SKIP names is left out", "[unit]") {
  const WithSettings settings(lazy);
  const Stream stream;
  const DeviceArray<float> x(std::vector<float>(kCount, 2.0f));
  const Pinned out(kCount);
  step(x, out, stream.handle);
  xf::sim::settings().skip_file = "machine/streams_test.cpp";
  xf::sim::settings().skip_line = __LINE__ + 1;
  cudaStreamSynchronize(stream.handle);
  CHECK(out.data[0] == 0);
  cudaStreamSynchronize(stream.handle);
  CHECK(out.data[0] == -0.5f);
}

TEST_CASE("Graphs: a replay does what the calls did, bit for bit, as often as it is launched", "[unit]") {
  const Stream stream;
  const DeviceArray<float> eager(std::vector<float>(kCount, 0.3f)),
      captured(std::vector<float>(kCount, 0.3f));
  const Pinned eager_out(kCount), captured_out(kCount);
  REQUIRE(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeGlobal) == cudaSuccess);
  step(captured, captured_out, stream.handle);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaStreamEndCapture(stream.handle, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&executable, graph) == cudaSuccess);
  cudaGraphDestroy(graph);
  CHECK(captured_out.data[0] == 0);  // captured work has not run
  for (int round = 0; round < 3; ++round) {
    step(eager, eager_out, stream.handle);
    cudaGraphLaunch(executable, stream.handle);
    cudaStreamSynchronize(stream.handle);
    CHECK(std::memcmp(eager_out.data, captured_out.data, kCount * sizeof(float)) == 0);
  }
  cudaGraphExecDestroy(executable);
}

TEST_CASE("Graphs: a call that cannot be captured breaks the capture", "[unit]") {
  const auto captured_with = [](cudaError_t (*call)(cudaStream_t)) {
    const Stream stream;
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeGlobal);
    CHECK(call(stream.handle) == cudaErrorStreamCaptureUnsupported);
    const cudaError_t end = cudaStreamEndCapture(stream.handle, &graph);
    cudaGetLastError();
    return end;
  };
  CHECK(captured_with([](cudaStream_t s) { return cudaStreamSynchronize(s); }) ==
        cudaErrorStreamCaptureInvalidated);
  CHECK(captured_with([](cudaStream_t) { return cudaDeviceSynchronize(); }) ==
        cudaErrorStreamCaptureInvalidated);
  CHECK(captured_with([](cudaStream_t) {
          void* data = nullptr;
          return cudaMalloc(&data, 16);
        }) == cudaErrorStreamCaptureInvalidated);
}

TEST_CASE("Graphs: a second stream joins by events and must be joined again", "[unit]") {
  const Stream main, side;
  cudaEvent_t fork = nullptr, join = nullptr;
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  const DeviceArray<float> x(std::vector<float>(kCount, 1.0f));
  for (const bool joined : {true, false}) {
    cudaStreamBeginCapture(main.handle, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, main.handle);
    cudaStreamWaitEvent(side.handle, fork, 0);
    run_scale(x.data(), kCount, 5, 0, side.handle);
    cudaEventRecord(join, side.handle);
    if (joined) cudaStreamWaitEvent(main.handle, join, 0);
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(main.handle, &graph) ==
          (joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
    if (graph) cudaGraphDestroy(graph);
  }
  cudaGetLastError();
  CHECK(x.values()[0] == 1);
}

}  // namespace xf::sim
