#include "core/parallel.h"

#include <sched.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/error.h"
#include "core/workers.h"
#include "tests/support/catch.h"

using namespace xf;

namespace {

struct ThreadCount {  // restores the pool
  explicit ThreadCount(int threads) { set_thread_count(threads); }
  ~ThreadCount() { set_thread_count(0); }
};

}  // namespace

TEST_CASE("Threads: no more than the affinity mask allows, at least one, and what was asked for", "[unit]") {
  cpu_set_t before, one;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CHECK(available_threads() >= 1);
  CHECK(available_threads() <= CPU_COUNT(&before));
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  const int pinned = available_threads();
  sched_setaffinity(0, sizeof before, &before);
  CHECK(pinned == 1);
  const ThreadCount three(3);
  CHECK(thread_count() == 3);
}

TEST_CASE("Threads: OMP_NUM_THREADS counts where no number is given, and nonsense in it does not", "[unit]") {
  const char* const set = std::getenv("OMP_NUM_THREADS");
  const std::string before = set ? set : "";
  const auto threads_with = [](const char* text) {
    setenv("OMP_NUM_THREADS", text, 1);
    const ThreadCount pool(0);
    return thread_count();
  };
  CHECK(threads_with("3") == 3);
  CHECK(threads_with("5,2") == 5);
  for (const char* const nonsense : {"", "0", "-4", "many"})
    CHECK(threads_with(nonsense) == available_threads());
  if (set) {
    setenv("OMP_NUM_THREADS", before.c_str(), 1);
  } else {
    unsetenv("OMP_NUM_THREADS");
  }
  set_thread_count(0);
}

TEST_CASE("parallel_for: each index once, at any thread count and grain", "[unit]") {
  for (const int threads : {1, 2, 3}) {
    const ThreadCount pool(threads);
    for (const int64_t n : {0, 1, 2, 7, 100}) {
      for (const int64_t grain : {0, 1, 3, 1000}) {
        std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
        std::atomic<int> pieces = 0;
        parallel_for(n, grain, [&](int64_t begin, int64_t end) {
          ++pieces;
          for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
        });
        INFO("threads " << threads << ", n " << n << ", grain " << grain);
        for (const auto& count : seen) CHECK(count == 1);
        CHECK(pieces <= threads);
        if (n > 0 && n <= grain) CHECK(pieces == 1);
      }
    }
  }
}

TEST_CASE("parallel_for: an error in a piece reaches the caller", "[unit]") {
  const ThreadCount two(2);
  CHECK_THROWS_WITH(parallel_for(100, 1,
                                 [](int64_t, int64_t end) {
                                   if (end == 100) fail(ErrorKind::data, "line {} is bad", 99);
                                 }),
                    "line 99 is bad");
}

TEST_CASE("parallel_for_dynamic: each piece once, to a worker that computes alone", "[unit]") {
  const ThreadCount three(3);
  std::vector<std::atomic<int>> handed(100), busy(3);
  std::atomic<int> mistakes = 0;
  parallel_for_dynamic(100, 3, [&](int worker, int64_t i) {
    ++handed[static_cast<size_t>(i)];
    if (busy[static_cast<size_t>(worker)]++ != 0 || thread_count() != 1) ++mistakes;
    parallel_for(64, 1, [&](int64_t begin, int64_t end) { mistakes += begin != 0 || end != 64; });
    --busy[static_cast<size_t>(worker)];
  });
  CHECK(mistakes == 0);
  for (const auto& times : handed) CHECK(times == 1);
  CHECK(thread_count() == 3);
}

TEST_CASE("parallel_for_dynamic: one worker takes the pieces in order, and has all threads", "[unit]") {
  const ThreadCount three(3);
  std::vector<int64_t> order;
  std::atomic<int> pieces = 0;
  parallel_for_dynamic(4, 1, [&](int worker, int64_t i) {
    CHECK(worker == 0);
    // In a region, even of one thread, each loop of the body would start its threads anew.
    CHECK(omp_get_level() == 0);
    order.push_back(i);
    parallel_for(64, 1, [&](int64_t, int64_t) { ++pieces; });
  });
  CHECK(order == std::vector<int64_t>{0, 1, 2, 3});
  CHECK(pieces == 4 * 3);
}

TEST_CASE("parallel_for_dynamic: an error reaches the caller, and nothing is handed out after it", "[unit]") {
  for (const int workers : {1, 3}) {
    std::atomic<int64_t> handed = 0;
    CHECK_THROWS_AS(parallel_for_dynamic(1'000'000, workers,
                                         [&](int, int64_t i) {
                                           ++handed;
                                           if (i == 5) throw std::runtime_error("piece");
                                         }),
                    std::runtime_error);
    CHECK(handed < 1'000'000);
  }
  CHECK_NOTHROW(parallel_for_dynamic(0, 3, [](int, int64_t) { throw std::runtime_error("nothing to do"); }));
}

TEST_CASE("Error: its kind is the exit code of a program", "[unit]") {
  try {
    fail(ErrorKind::diverged, "loss is {}", "nan");
  } catch (const Error& error) {
    CHECK(error.exit_code() == 4);
    CHECK(std::string(error.what()) == "loss is nan");
    return;
  }
  FAIL("fail() returned");
}
