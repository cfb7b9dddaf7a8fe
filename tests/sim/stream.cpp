#include "tests/sim/stream.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include "tests/sim/memory.h"
#include "tests/sim/settings.h"

namespace xf::sim {

namespace {

cudaError_t last_error = cudaSuccess;
uint64_t calls = 0;

CUstream_st& default_stream() {
  static auto& instance = *new CUstream_st;  // never destroyed: memory is given back after main()
                                             // too
  return instance;
}

bool run_earlier(CUstream_st& stream, uint64_t number);

// Whether it is done.
bool run_next(CUstream_st& stream) {
  const uint64_t number = stream.queue.front().number;
  if (&stream == &default_stream()) {
    for (CUstream_st& other : all_streams()) {
      if (other.blocking && !run_earlier(other, number)) return false;
    }
  } else if (stream.blocking && !run_earlier(default_stream(), number)) {
    return false;
  }
  Queued next = std::move(stream.queue.front());
  stream.queue.pop_front();
  try {
    const memory::Open open;
    next.work();
  } catch (const Unfinished&) {
    stream.queue.push_front(std::move(next));
    return false;
  }
  ++stream.done;
  return true;
}

bool run_earlier(CUstream_st& stream, uint64_t number) {
  while (!stream.queue.empty() && stream.queue.front().number < number) {
    if (!run_next(stream)) return false;
  }
  return true;
}

}  // namespace

// All there ever were: an event may outlive its stream.
std::deque<CUstream_st>& all_streams() {
  static auto& instance = *new std::deque<CUstream_st>;
  return instance;
}

std::recursive_mutex& machine_lock() {
  static auto& instance = *new std::recursive_mutex;
  return instance;
}

cudaError_t set_last_error(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}
cudaError_t take_last_error() { return std::exchange(last_error, cudaSuccess); }
cudaError_t peek_last_error() { return last_error; }

CUstream_st& stream_of(cudaStream_t stream) { return stream ? *stream : default_stream(); }

CUstream_st* add_stream(bool blocking) {
  CUstream_st& stream = all_streams().emplace_back();
  stream.blocking = blocking;
  return &stream;
}

cudaError_t push(cudaStream_t handle, What what, Work work) {
  const std::lock_guard lock(machine_lock());
  CUstream_st& stream = stream_of(handle);
  if (stream.capture) {
    std::vector<Node>& nodes = stream.capture->nodes;
    nodes.push_back({std::move(what), std::move(work), stream.frontier});
    stream.frontier = {nodes.size() - 1};
    return cudaSuccess;
  }
  stream.queue.push_back({calls++, std::move(work)});
  ++stream.pushed;
  if (!settings().lazy_streams) run_stream(stream);
  return cudaSuccess;
}

bool run_stream(CUstream_st& stream, uint64_t until) {
  while (stream.done < until && !stream.queue.empty()) {
    if (!run_next(stream)) return false;
  }
  return true;
}

bool run_all_streams() {
  bool done = run_stream(default_stream());
  for (CUstream_st& stream : all_streams()) done = run_stream(stream) && done;
  return done;
}

void finish(const std::function<bool()>& run) {
  for (;;) {
    {
      const std::lock_guard lock(machine_lock());
      if (run()) return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

cudaError_t refuse_in_capture() {
  for (CUstream_st& stream : all_streams()) {
    if (!stream.capture || stream.capture->mode == cudaStreamCaptureModeRelaxed) continue;
    stream.capture->broken = true;
    return set_last_error(cudaErrorStreamCaptureUnsupported);
  }
  return cudaSuccess;
}

// In an order that the nodes allow; the schedule says which.
void run_graph(const std::vector<Node>& nodes, std::vector<bool>& done) {
  uint64_t state = settings().seed;
  for (auto left = std::ranges::count(done, false); left > 0; --left) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const auto& after = nodes[i].after;
      if (!done[i] && std::all_of(after.begin(), after.end(), [&](size_t before) { return done[before]; })) {
        ready.push_back(i);
        if (settings().schedule == Schedule::forward) break;
      }
    }
    state = state * 6364136223846793005u + 1442695040888963407u;
    const size_t next =
        settings().schedule == Schedule::random ? ready[(state >> 33) % ready.size()] : ready.back();
    if (before_node) before_node(&nodes[next]);
    nodes[next].work();
    done[next] = true;
  }
  if (before_node) before_node(nullptr);
}

namespace {

std::set<std::string>& names() {
  static auto& instance = *new std::set<std::string>;
  return instance;
}

}  // namespace

const void* address_of_name(const std::string& name) { return &*names().insert(name).first; }

const std::string* name_at(const void* address) {
  const auto place =
      std::find_if(names().begin(), names().end(), [&](const std::string& n) { return &n == address; });
  return place == names().end() ? nullptr : &*place;
}

}  // namespace xf::sim
