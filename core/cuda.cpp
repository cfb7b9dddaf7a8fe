#include "core/cuda.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <regex>
#include <thread>

#include "core/error.h"

namespace xf::cuda {

namespace {

constexpr int kOldestArchitecture = 80;  // bf16 tensor cores and cp.async
constexpr int64_t kFirstWorkspace = 8ll << 20;

struct Lane {
  cudaStream_t stream = nullptr;
  std::vector<std::shared_ptr<void>> workspaces;  // the last one is in use
  int64_t workspace_bytes = 0;
};

struct Context {
  int index = -1;
  std::array<Lane, kLanes> lanes;
  size_t lane = 0;
  bool beside = false;               // whether there is work in the second lane that the first has
                                     // not waited
                                     // for,
  std::shared_ptr<void> fork, done;  // where it begins in the first, and where it ends
  std::function<void(double)> look;  // look_while_waiting()
};

Context& context() {
  static Context instance;
  return instance;
}

// Makes `index` this process's device.
void select_device(Context& c, int index) {
  if (c.index == index) return;
  XF_CHECK(c.index < 0, "cuda: this process computes on cuda:{}, not on cuda:{}", c.index, index);
  check(cudaSetDevice(index), "cudaSetDevice");
  for (Lane& lane : c.lanes)
    check(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking), "cudaStreamCreate");
  c.fork = make_event();
  c.done = make_event();
  c.index = index;
}

// Asks until it is so, and looks meanwhile.
void wait_and_look(const std::function<cudaError_t()>& query, const char* what) {
  using Clock = std::chrono::steady_clock;
  constexpr double kPatience = 1e-3;  // s, then the processor is given away
  const Clock::time_point begun = Clock::now();
  for (;;) {
    const cudaError_t status = query();
    if (status != cudaErrorNotReady) return check(status, what);
    const double waited = std::chrono::duration<double>(Clock::now() - begun).count();
    context().look(waited);
    if (waited > kPatience) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

// The second lane, from here to the end of a scope, however that ends; then `done` is where it has
// got to.
class OtherLane {
 public:
  explicit OtherLane(Context& c) : context_(c) { context_.lane = 1; }
  OtherLane(const OtherLane&) = delete;
  OtherLane& operator=(const OtherLane&) = delete;
  ~OtherLane() {
    cudaEventRecord(static_cast<cudaEvent_t>(context_.done.get()), context_.lanes[1].stream);
    context_.lane = 0;
    context_.beside = true;
  }

 private:
  Context& context_;
};

int attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, index), "device attributes");
  return value;
}

int architecture(int index) {
  return 10 * attribute(cudaDevAttrComputeCapabilityMajor, index) +
         attribute(cudaDevAttrComputeCapabilityMinor, index);
}

// What was captured, and what runs it.
struct Recording {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;

  Recording() = default;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    if (executable) cudaGraphExecDestroy(executable);
    if (graph) cudaGraphDestroy(graph);
  }
};

std::string without_scopes(const std::string& name) {
  static const std::regex scope("(\\(anonymous namespace\\)|[A-Za-z_][A-Za-z_0-9]*)::");
  return std::regex_replace(name, scope, "");
}

// "void softmax_rows<float>(Args)": softmax_rows<float>.
std::string without_result_and_parameters(const std::string& name) {
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '>') depth += name[i] == '<' ? 1 : -1;
    if (depth > 0) continue;
    if (name[i] == ' ') begin = i + 1;
    if (name[i] == '(') return name.substr(begin, i - begin);
  }
  return name;
}

std::string name_of_kernel(cudaGraphNode_t node) {
  cudaKernelNodeParams parameters{};
  const char* mangled = nullptr;
  if (cudaGraphKernelNodeGetParams(node, &parameters) != cudaSuccess ||
      cudaFuncGetName(&mangled, parameters.func) != cudaSuccess || !mangled) {
    cudaGetLastError();
    return "kernel of a library";
  }
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  return plain ? without_result_and_parameters(without_scopes(plain.get())) : without_scopes(mangled);
}

std::string name_of(cudaGraphNode_t node) {
  cudaGraphNodeType type{};
  check(cudaGraphNodeGetType(node, &type), "a graph's node");
  if (type == cudaGraphNodeTypeKernel) return name_of_kernel(node);
  return type == cudaGraphNodeTypeMemcpy ? "copy" : type == cudaGraphNodeTypeMemset ? "fill" : "host";
}

}  // namespace

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // an error that is reported is not reported again
  if (status == cudaErrorMemoryAllocation) {
    fail(ErrorKind::resources, "out of GPU memory ({}); use smaller batches (--mini-batch-words)", what);
  }
  fail(ErrorKind::failure, "cuda: {}: {}", what, cudaGetErrorString(status));
}

std::string obstacle(int index) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver) {
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (driver == 0) return "there is no NVIDIA driver";
    return fmt::format("the NVIDIA driver is for CUDA {}.{}, older than this build's {}.{}", driver / 1000,
                       driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
  }
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) return "there is no CUDA device";
  if (status != cudaSuccess) {
    cudaGetLastError();
    return fmt::format("the CUDA driver says: {} ({})", cudaGetErrorString(status), cudaGetErrorName(status));
  }
  if (index >= count) return fmt::format("there is no cuda:{}, only {} device(s)", index, count);
  const int found = architecture(index);
  if (found < kOldestArchitecture) {
    return fmt::format("cuda:{} has compute capability {}.{}; {}.{} is needed", index, found / 10, found % 10,
                       kOldestArchitecture / 10, kOldestArchitecture % 10);
  }
  if (!cublaslt_library()) return "cuBLASLt is not found: no " + cublaslt_places();
  return "";
}

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

std::string product_name(int index) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  return properties.name;
}

cudaStream_t stream() {
  XF_CHECK(context().index >= 0, "cuda: no device was selected");
  return context().lanes[lane()].stream;
}

size_t lane() { return context().lane; }

void run_on_side_stream(const std::function<void()>& work) {
  Context& c = context();
  mark(c.fork.get());
  const OtherLane other(c);
  check(cudaStreamWaitEvent(stream(), static_cast<cudaEvent_t>(c.fork.get()), 0), "an event");
  work();
}

// A device that fails says so where the host waits for it.
void join_side_stream() noexcept {
  Context& c = context();
  if (c.beside) cudaStreamWaitEvent(c.lanes[0].stream, static_cast<cudaEvent_t>(c.done.get()), 0);
  c.beside = false;
}

void* workspace(int64_t bytes) {
  Context& c = context();
  Lane& of = c.lanes[c.lane];
  if (bytes > of.workspace_bytes) {
    const int64_t larger = std::max({bytes, 2 * of.workspace_bytes, kFirstWorkspace});
    of.workspaces.push_back(allocate(Device::cuda(c.index), larger));
    of.workspace_bytes = larger;  // which there is
  }
  return of.workspaces.back().get();
}

int64_t most_shared_memory() {
  return attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, std::max(context().index, 0));
}

void compute_on(Device device) { select_device(context(), device.index); }

void look_while_waiting(std::function<void(double)> look) { context().look = std::move(look); }

std::shared_ptr<void> allocate(Device device, int64_t bytes) {
  select_device(context(), device.index);
  void* data = nullptr;
  check(cudaMalloc(&data, static_cast<size_t>(std::max<int64_t>(bytes, 1))), "cudaMalloc");
  return {data, [](void* p) { cudaFree(p); }};
}

int64_t available(Device device) {
  select_device(context(), device.index);
  size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<int64_t>(free);
}

void copy(const memory::Rows& to, const memory::Rows& from, int64_t width, int64_t rows) {
  const bool to_host = to.device.type == DeviceType::cpu;
  const cudaMemcpyKind kind = to_host                               ? cudaMemcpyDeviceToHost
                              : from.device.type == DeviceType::cpu ? cudaMemcpyHostToDevice
                                                                    : cudaMemcpyDeviceToDevice;
  const auto bytes = [](int64_t n) { return static_cast<size_t>(n); };
  if (to_host) join_side_stream();
  // What comes before may never be done, where other ranks have a part in it. So it is waited for
  // first: whoever looks may throw, and no copy that is still to come may then write to memory of
  // the host that is gone.
  if (to_host && context().look) wait_and_look([] { return cudaStreamQuery(stream()); }, "a kernel");
  const bool dense = rows == 1 || (to.pitch == width && from.pitch == width);
  if (dense) {
    check(cudaMemcpyAsync(to.data, from.data, bytes(width * rows), kind, stream()), "a copy");
  } else {
    check(cudaMemcpy2DAsync(to.data, bytes(to.pitch), from.data, bytes(from.pitch), bytes(width), bytes(rows),
                            kind, stream()),
          "a copy");
  }
  // The runtime has read the host's pageable memory when it returns; what it writes there has to be
  // waited for. Here an earlier kernel's error shows, too.
  if (to_host) check(cudaStreamSynchronize(stream()), "a kernel");
}

void zero(void* data, int64_t bytes) {
  check(cudaMemsetAsync(data, 0, static_cast<size_t>(bytes), stream()), "cudaMemset");
}

std::shared_ptr<void> record(const std::function<void()>& work) {
  join_side_stream();
  check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal), "a graph");
  cudaGraph_t graph = nullptr;
  try {
    work();
  } catch (...) {
    cudaStreamEndCapture(stream(), &graph);
    if (graph) cudaGraphDestroy(graph);
    context().beside = false;  // what was beside went with the graph
    cudaGetLastError();
    throw;
  }
  check(cudaStreamEndCapture(stream(), &graph), "a graph");
  auto recording = std::make_shared<Recording>();
  recording->graph = graph;
  check(cudaGraphInstantiate(&recording->executable, graph, 0), "a graph");
  return recording;
}

void replay(void* graph) {
  check(cudaGraphLaunch(static_cast<Recording*>(graph)->executable, stream()), "a graph");
}

std::vector<std::string> launches(void* graph) {
  const cudaGraph_t recorded = static_cast<Recording*>(graph)->graph;
  size_t count = 0;
  check(cudaGraphGetNodes(recorded, nullptr, &count), "a graph's nodes");
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(recorded, nodes.data(), &count), "a graph's nodes");
  std::vector<std::string> names;
  for (const cudaGraphNode_t node : nodes) names.push_back(name_of(node));
  return names;
}

std::shared_ptr<void> allocate_page_locked(int64_t bytes) {
  void* data = nullptr;
  check(cudaMallocHost(&data, static_cast<size_t>(bytes)), "cudaMallocHost");
  return {data, [](void* p) { cudaFreeHost(p); }};
}

std::shared_ptr<void> make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "an event");
  return {event, [](void* e) { cudaEventDestroy(static_cast<cudaEvent_t>(e)); }};
}

void mark(void* event) { check(cudaEventRecord(static_cast<cudaEvent_t>(event), stream()), "an event"); }

void wait_for(void* event) {
  const auto mark = static_cast<cudaEvent_t>(event);
  if (context().look) return wait_and_look([mark] { return cudaEventQuery(mark); }, "an event");
  check(cudaEventSynchronize(mark), "an event");
}

}  // namespace xf::cuda
