// Pieces of work that do not depend on each other, each computed by one thread of the pool: where a
// piece's own loops are too short to be divided well.
#pragma once

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <exception>

namespace xf {

// body(worker, i) for i = 0..n-1, handed out in this order to workers 0..workers-1. With several,
// loops within a body are serial (core/parallel.h); one works as if this were a loop. What a body
// throws is thrown on, the first of several, when all have ended what they were at; nothing more is
// handed out then.
template <typename Body>
void parallel_for_dynamic(int64_t n, int workers, const Body& body) {
  // Within a parallel region, even of one thread, GCC's OpenMP makes new threads for each region of
  // the body's own: one worker is in none, so that all threads are the body's, and are kept.
  if (workers == 1) {
    for (int64_t i = 0; i < n; ++i) body(0, i);
    return;
  }
  std::atomic<int64_t> next = 0;
  std::exception_ptr error;
#pragma omp parallel num_threads(workers)
  try {
    for (int64_t i = next++; i < n; i = next++) body(omp_get_thread_num(), i);
  } catch (...) {
    next = n;
#pragma omp critical
    if (!error) error = std::current_exception();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace xf
