// Streams as queues of work. Eager: work runs where it is pushed. Lazy: nothing runs until
// something waits for it, so that a missing wait shows. A stream that is being captured keeps its
// work for the graph.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/sim/include/cuda_runtime_api.h"

namespace xf::sim {

using Work = std::function<void()>;

// Thrown by work that waits for another device: its stream stands still, and it is called again.
struct Unfinished {};

// What a piece of work is, for who asks what a graph holds.
struct What {
  cudaGraphNodeType type = cudaGraphNodeTypeHost;
  const void* kernel = nullptr;  // or address_of_name()
};

struct Queued {
  uint64_t number;  // in the order of the host's calls, over all streams
  Work work;
};

// A node waits for the nodes before it on its stream, and for those behind the events that the
// stream waited for.
struct Node {
  What what;
  Work work;
  std::vector<size_t> after;
};

struct Capture {
  cudaStreamCaptureMode mode;
  std::vector<Node> nodes;
  bool broken = false;  // by a call that cannot be captured
};

// One lock for the machine: host threads take turns. Everything below but finish() expects it to be
// held.
std::recursive_mutex& machine_lock();

int current_device();  // of this thread; its memory is that of all

cudaError_t set_last_error(cudaError_t error);
cudaError_t take_last_error();
cudaError_t peek_last_error();

CUstream_st& stream_of(cudaStream_t stream);  // null: the default stream
CUstream_st* add_stream(bool blocking);
std::deque<CUstream_st>& all_streams();  // but the default one
cudaError_t push(cudaStream_t stream, What what, Work work);
// So many pieces of work, ever, and what they wait for; all streams'. Whether they are done: what
// waits for another device is not.
bool run_stream(CUstream_st& stream, uint64_t until = UINT64_MAX);
bool run_all_streams();
// Until `run` says so. Not within the lock: the other device may be another thread's.
void finish(const std::function<bool()>& run);

// A call that must not happen while anything is captured (but for relaxed captures) breaks the
// capture.
cudaError_t refuse_in_capture();
// Nodes that are `done` are left out: it goes on where it was unfinished.
void run_graph(const std::vector<Node>& nodes, std::vector<bool>& done);
// Called before each node of a replay, and with null behind the last: where traffic.cpp counts.
inline void (*before_node)(const Node*) = nullptr;
// Of what cudaFuncGetName() is to call by name and is no function of the program: a library's
// kernel.
const void* address_of_name(const std::string& name);
const std::string* name_at(const void* address);  // null: none of them

}  // namespace xf::sim

struct CUstream_st {
  bool blocking = true;  // takes turns with the default stream
  std::deque<xf::sim::Queued> queue;
  uint64_t pushed = 0, done = 0;
  xf::sim::Capture* capture = nullptr;
  std::vector<size_t> frontier;  // of the capture: what the next node comes after
};

struct CUevent_st {
  CUstream_st* stream = nullptr;  // null: never recorded
  uint64_t reached = 0;           // how much work of the stream is done when the event happens
  xf::sim::Capture* capture = nullptr;
  std::vector<size_t> frontier;
  std::shared_ptr<double> seconds = std::make_shared<double>(0.0);
};

struct CUgraph_st {
  std::vector<xf::sim::Node> nodes;
};

struct CUgraphExec_st {
  std::vector<xf::sim::Node> nodes;
};
