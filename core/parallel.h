// One pool of threads per process (OpenMP's), and the loop over it.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

namespace xf {

// How many threads this process may use: the affinity mask, cut down to the cgroup's CPU quota, at
// least 1.
int available_threads();
// How many OMP_NUM_THREADS asks for (of a list the first); 0 where it says nothing that is a number
// from 1 on.
int asked_threads();
// asked_threads(), or without them available_threads().
int default_threads();
// The processors of that mask, as numbers: "0,1,4". Two processes with the same text share them.
std::string affinity();

// Sets the pool's size (0: default_threads()) and flushes denormals to zero on each of its threads:
// Adam's second moment decays into them, and they are slow on many processors.
void set_thread_count(int threads);
// How many threads a loop may use: the pool's, and one on a thread that a loop or a worker
// (core/workers.h) has already.
int thread_count();

// body(begin, end) over 0..n in contiguous pieces, one per thread; serial when n <= grain. How many
// pieces there are depends on the thread count, so a body must compute the same thing however the
// range is cut.
template <typename Body>
void parallel_for(int64_t n, int64_t grain, const Body& body) {
  const int64_t wanted = grain > 0 ? (n + grain - 1) / grain : n;
  const int64_t pieces = wanted < thread_count() ? wanted : thread_count();
  if (pieces <= 1) {
    if (n > 0) body(int64_t{0}, n);
    return;
  }
  std::exception_ptr error;
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(pieces))
  for (int64_t piece = 0; piece < pieces; ++piece) {
    try {
      body(n * piece / pieces, n * (piece + 1) / pieces);
    } catch (...) {
#pragma omp critical
      error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace xf
