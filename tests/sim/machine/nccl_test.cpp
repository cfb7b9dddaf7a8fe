// NCCL on the software GPU, its ranks threads of one process with a device each, against sums made
// here.
#include "core/dist/nccl/nccl.h"

#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include "core/error.h"
#include "tests/sim/machine/support.h"
#include "tests/support/catch.h"

namespace xf::sim {

namespace {

struct Rank {
  int rank, size;
  ncclComm_t comm;
  cudaStream_t stream;
};

// body(rank) as each of them. Catch's macros are for one thread: what is wrong is thrown, and ends
// the test.
void as_ranks(int size, const std::function<void(const Rank&)>& body) {
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  std::vector<std::jthread> threads;
  for (int r = 0; r < size; ++r) {
    threads.emplace_back([&body, id, size, r] {
      Rank rank{r, size, nullptr, nullptr};
      if (cudaSetDevice(r) != cudaSuccess || ncclCommInitRank(&rank.comm, size, id, r) != ncclSuccess ||
          cudaStreamCreateWithFlags(&rank.stream, cudaStreamNonBlocking) != cudaSuccess)
        fail(ErrorKind::failure, "rank {} does not begin", r);
      body(rank);
      cudaStreamDestroy(rank.stream);
    });
  }
}

constexpr int64_t kCount = 9001;  // several messages, the last one short

// What rank r begins with, so that another order of a sum has other bits.
std::vector<float> numbers_of(int rank, int64_t count) {
  std::vector<float> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = (static_cast<float>((i * 7919 + static_cast<size_t>(rank) * 104729) % 1000) - 499.3f) *
                 (rank % 2 == 0 ? 1e-3f : 1e3f);
  return numbers;
}

std::vector<float> sum_in_order(int size, int64_t count) {
  std::vector<float> sum = numbers_of(0, count);
  for (int r = 1; r < size; ++r) {
    const std::vector<float> other = numbers_of(r, count);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
  }
  return sum;
}

// Device memory of a thread.
struct Numbers {
  explicit Numbers(const std::vector<float>& values) : count(values.size()) {
    if (cudaMalloc(&data, count * sizeof(float)) != cudaSuccess) fail(ErrorKind::failure, "no memory");
    cudaMemcpy(data, values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  }
  ~Numbers() { cudaFree(data); }
  float* at(int64_t i) const { return static_cast<float*>(data) + i; }
  std::vector<float> values(const Rank& rank) const {
    cudaStreamSynchronize(rank.stream);
    std::vector<float> out(count);
    cudaMemcpy(out.data(), data, count * sizeof(float), cudaMemcpyDeviceToHost);
    return out;
  }
  size_t count;
  void* data = nullptr;
};

struct Captured {
  Captured(const Rank& rank, const std::function<void()>& work) {
    // whatever other threads do meanwhile
    cudaStreamBeginCapture(rank.stream, cudaStreamCaptureModeRelaxed);
    work();
    cudaStreamEndCapture(rank.stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
  }
  ~Captured() {
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  }
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
};

void expect(bool holds, const char* what) {
  if (!holds) fail(ErrorKind::failure, "not so: {}", what);
}

const auto four_devices = [](Settings& s) { s.devices = 4, s.lazy_streams = true; };

}  // namespace

TEST_CASE("NCCL: sums of 2 and 4 devices are rank after rank's, and all have them", "[unit]") {
  const WithSettings settings(four_devices);
  for (const int size : {2, 4}) {
    as_ranks(size, [](const Rank& rank) {
      const Numbers numbers(numbers_of(rank.rank, kCount));
      ncclAllReduce(numbers.data, numbers.data, kCount, ncclFloat32, ncclSum, rank.comm, rank.stream);
      expect(numbers.values(rank) == sum_in_order(rank.size, kCount), "the sum");
      ncclCommDestroy(rank.comm);
    });
  }
}

TEST_CASE("NCCL: pieces are summed for their rank and gathered from it, of one size or of several",
          "[unit]") {
  const WithSettings settings(four_devices);
  as_ranks(4, [](const Rank& rank) {
    const int64_t piece = 5000;
    const Numbers equal(numbers_of(rank.rank, 4 * piece));
    const std::vector<float> sum = sum_in_order(4, 4 * piece);
    float* const own = equal.at(rank.rank * piece);
    ncclReduceScatter(equal.data, own, piece, ncclFloat32, ncclSum, rank.comm, rank.stream);
    const std::vector<float> half = equal.values(rank);
    const int64_t begin = rank.rank * piece;
    expect(std::equal(half.begin() + begin, half.begin() + begin + piece, sum.begin() + begin),
           "the own piece");
    ncclAllGather(own, equal.data, piece, ncclFloat32, rank.comm, rank.stream);
    expect(equal.values(rank) == sum, "all pieces");

    const Numbers unequal(numbers_of(rank.rank, 10));  // 1, 2, 3 and 4 numbers
    const auto place = [](int r) { return static_cast<int64_t>(r * (r + 1) / 2); };
    for (const bool sums : {true, false}) {
      ncclGroupStart();
      for (int r = 0; r < 4; ++r) {
        const auto count = static_cast<size_t>(r + 1);
        float* const at = unequal.at(place(r));
        sums ? ncclReduce(at, at, count, ncclFloat32, ncclSum, r, rank.comm, rank.stream)
             : ncclBroadcast(at, at, count, ncclFloat32, r, rank.comm, rank.stream);
      }
      ncclGroupEnd();
    }
    expect(unequal.values(rank) == sum_in_order(4, 10), "pieces of several sizes");
    ncclCommDestroy(rank.comm);
  });
}

TEST_CASE("NCCL: a graph replays what was captured", "[unit]") {
  const WithSettings settings(four_devices);
  as_ranks(2, [](const Rank& rank) {
    const Numbers numbers(std::vector<float>{1, 10});
    {
      const Captured sum(rank, [&] {
        ncclAllReduce(numbers.data, numbers.data, 2, ncclFloat32, ncclSum, rank.comm, rank.stream);
      });
      for (int i = 0; i < 3; ++i) cudaGraphLaunch(sum.executable, rank.stream);
      expect(numbers.values(rank) == std::vector<float>{8, 80}, "three sums");
      bool refused = false;
      try {
        ncclCommDestroy(rank.comm);
      } catch (const Error&) {
        refused = true;
      }
      expect(refused, "the communicator is not destroyed before the graph");
    }
    ncclCommDestroy(rank.comm);
  });
}

TEST_CASE("NCCL: who waits for a rank that does not come waits until it aborts, which waits for the graph",
          "[unit]") {
  const WithSettings settings(four_devices);
  as_ranks(2, [](const Rank& rank) {
    if (rank.rank == 1) return ncclCommAbort(rank.comm), void();
    const Numbers numbers(std::vector<float>{1});
    std::jthread abort;  // ends behind the graph
    const Captured sum(rank, [&] {
      ncclAllReduce(numbers.data, numbers.data, 1, ncclFloat32, ncclSum, rank.comm, rank.stream);
    });
    cudaGraphLaunch(sum.executable, rank.stream);
    ncclResult_t error = ncclSuccess;
    for (int i = 0; i < 1000 && error == ncclSuccess; ++i) {
      expect(cudaStreamQuery(rank.stream) == cudaErrorNotReady, "it waits");
      ncclCommGetAsyncError(rank.comm, &error);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    expect(error == ncclRemoteError, "it is told that the other one is gone");
    abort = std::jthread(ncclCommAbort, rank.comm);
    expect(numbers.values(rank).size() == 1, "it goes on");
  });
}

TEST_CASE("NCCL: ranks that ask for different things are told, and two on one device are refused", "[unit]") {
  const WithSettings settings(four_devices);
  std::latch told(2);
  as_ranks(2, [&told](const Rank& rank) {
    const Numbers numbers(std::vector<float>(8, 1.0f));
    const auto count = static_cast<size_t>(4 + rank.rank);
    ncclAllReduce(numbers.data, numbers.data, count, ncclFloat32, ncclSum, rank.comm, rank.stream);
    std::string error;
    try {
      cudaStreamSynchronize(rank.stream);
    } catch (const Error& thrown) {
      error = thrown.what();
    }
    told.arrive_and_wait();  // freeing waits for all streams
    expect(error.find("ncclAllReduce of 5 elements") != std::string::npos, "the other size is named");
    ncclCommAbort(rank.comm);
  });
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  std::vector<ncclResult_t> results(2);
  {
    std::vector<std::jthread> threads;
    for (int r = 0; r < 2; ++r)
      threads.emplace_back([&results, id, r] {
        ncclComm_t comm = nullptr;
        results[static_cast<size_t>(r)] = ncclCommInitRank(&comm, 2, id, r);
      });
  }
  CHECK(results == std::vector{ncclInvalidUsage, ncclInvalidUsage});
}

}  // namespace xf::sim
