// The runtime's functions for streams, events, captures and graphs.
#include <algorithm>
#include <chrono>

#include "tests/sim/memory.h"
#include "tests/sim/site.h"
#include "tests/sim/stream.h"

// Here they are defined; wait_site.h has them carry their place.
#undef cudaStreamWaitEvent
#undef cudaStreamSynchronize
#undef cudaEventSynchronize
#undef cudaDeviceSynchronize

namespace xf::sim {

namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool wait_left_out() {
  const Site site = take_wait_site();
  return left_out("stream wait", site);
}

cudaError_t break_capture(CUstream_st& stream, cudaError_t error) {
  stream.capture->broken = true;
  return set_last_error(error);
}

// Whether everything captured on `other` comes before what `origin` has last.
bool joined(const CUstream_st& origin, const CUstream_st& other) {
  const std::vector<Node>& nodes = origin.capture->nodes;
  std::vector<bool> before(nodes.size());
  std::vector<size_t> open = origin.frontier;
  while (!open.empty()) {
    const size_t node = open.back();
    open.pop_back();
    if (before[node]) continue;
    before[node] = true;
    open.insert(open.end(), nodes[node].after.begin(), nodes[node].after.end());
  }
  return std::all_of(other.frontier.begin(), other.frontier.end(), [&](size_t node) { return before[node]; });
}

}  // namespace

}  // namespace xf::sim

using namespace xf::sim;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  const Lock lock(machine_lock());
  if (flags > cudaStreamNonBlocking) return set_last_error(cudaErrorInvalidValue);
  *stream = add_stream(flags != cudaStreamNonBlocking);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!stream) return set_last_error(cudaErrorInvalidResourceHandle);
  finish([&] { return run_stream(*stream); });
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  const Lock lock(machine_lock());
  CUstream_st& stream = stream_of(handle);
  if (stream.capture) return break_capture(stream, cudaErrorStreamCaptureUnsupported);
  if (stream.queue.empty()) return cudaSuccess;
  run_stream(stream, stream.done + 1);  // so that a loop around this call ends
  return cudaErrorNotReady;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  if (wait_left_out()) return cudaSuccess;
  CUstream_st& stream = stream_of(handle);
  if (stream.capture) return break_capture(stream, cudaErrorStreamCaptureUnsupported);
  finish([&] { return run_stream(stream); });
  const Lock lock(machine_lock());
  const memory::Open open;
  memory::check_guards();
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  if (wait_left_out()) return cudaSuccess;
  if (const cudaError_t error = refuse_in_capture()) return error;
  finish(run_all_streams);
  const Lock lock(machine_lock());
  const memory::Open open;
  memory::check_guards();
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return push(stream, {cudaGraphNodeTypeHost}, [=] { function(data); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
  *event = new CUevent_st;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Lock lock(machine_lock());
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  const Lock lock(machine_lock());
  CUstream_st& stream = stream_of(handle);
  event->stream = &stream;
  event->capture = stream.capture;
  event->frontier = stream.frontier;
  event->reached = stream.pushed + 1;
  if (stream.capture) return cudaSuccess;
  return push(handle, {}, [seconds = event->seconds] { *seconds = now(); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned int) {
  const Lock lock(machine_lock());
  if (wait_left_out() || !event->stream) return cudaSuccess;
  CUstream_st& stream = stream_of(handle);
  if (event->capture) {  // the waiting stream joins the capture
    if (stream.capture && stream.capture != event->capture)
      return break_capture(stream, cudaErrorInvalidValue);
    stream.capture = event->capture;
    stream.frontier.insert(stream.frontier.end(), event->frontier.begin(), event->frontier.end());
    return cudaSuccess;
  }
  if (stream.capture) return break_capture(stream, cudaErrorStreamCaptureIsolation);
  if (event->stream == &stream) return cudaSuccess;
  return push(handle, {}, [from = event->stream, reached = event->reached] {
    if (!run_stream(*from, reached)) throw Unfinished();
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const Lock lock(machine_lock());
  if (event->capture) return break_capture(*event->stream, cudaErrorCapturedEvent);
  if (!event->stream || event->stream->done >= event->reached) return cudaSuccess;
  run_stream(*event->stream, event->stream->done + 1);
  return cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (wait_left_out() || !event->stream) return cudaSuccess;
  if (event->capture) return set_last_error(cudaErrorCapturedEvent);
  finish([&] { return run_stream(*event->stream, event->reached); });
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const Lock lock(machine_lock());
  for (const cudaEvent_t event : {start, end}) {
    if (!event->stream) return set_last_error(cudaErrorInvalidResourceHandle);
    if (event->stream->done < event->reached) return cudaErrorNotReady;
  }
  *milliseconds = static_cast<float>(1e3 * (*end->seconds - *start->seconds));
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const Lock lock(machine_lock());
  if (!stream || stream->capture) return set_last_error(cudaErrorStreamCaptureUnsupported);
  stream->capture = new Capture{mode, {}};
  stream->frontier.clear();
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  const Lock lock(machine_lock());
  const Capture* capture = stream_of(handle).capture;
  *status = !capture          ? cudaStreamCaptureStatusNone
            : capture->broken ? cudaStreamCaptureStatusInvalidated
                              : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const Lock lock(machine_lock());
  *graph = nullptr;
  if (!stream || !stream->capture) return set_last_error(cudaErrorInvalidValue);
  const std::unique_ptr<Capture> capture(stream->capture);
  cudaError_t error = capture->broken ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
  for (CUstream_st& other : all_streams()) {
    if (&other == stream || other.capture != capture.get()) continue;
    if (!error && !joined(*stream, other)) error = cudaErrorStreamCaptureUnjoined;
    other.capture = nullptr;
    other.frontier.clear();
  }
  stream->capture = nullptr;
  stream->frontier.clear();
  if (error) return set_last_error(error);
  *graph = new CUgraph_st{std::move(capture->nodes)};
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  *executable = new CUgraphExec_st{graph->nodes};
  return cudaSuccess;
}

// A node's handle is the node.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  const size_t there = graph->nodes.size();
  if (nodes) {
    for (size_t i = 0; i < std::min(*count, there); ++i)
      nodes[i] = reinterpret_cast<cudaGraphNode_t>(&graph->nodes[i]);
    for (size_t i = there; i < *count; ++i) nodes[i] = nullptr;
  }
  *count = nodes ? std::min(*count, there) : there;
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  *type = reinterpret_cast<const Node*>(node)->what.type;
  return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  const What& what = reinterpret_cast<const Node*>(node)->what;
  if (what.type != cudaGraphNodeTypeKernel) return set_last_error(cudaErrorInvalidValue);
  *parameters = {};
  parameters->func = const_cast<void*>(what.kernel);
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  const auto done = std::make_shared<std::vector<bool>>(executable->nodes.size());
  return push(stream, {}, [executable, done] { run_graph(executable->nodes, *done); });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  finish(run_all_streams);  // launches of it
  delete executable;
  return cudaSuccess;
}

}  // extern "C"
