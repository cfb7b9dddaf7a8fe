#include "core/parallel.h"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace xf {

namespace {

int pool_size = 0;  // 0: not set yet

int affinity_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace

std::string affinity() {
  cpu_set_t set;
  std::string numbers;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return numbers;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) numbers += (numbers.empty() ? "" : ",") + std::to_string(i);
  return numbers;
}

namespace {

// cgroup v2: "max 100000" or "150000 100000" (quota and period in microseconds). 0 when there is no
// quota.
double cgroup_quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 0;
  return std::stod(quota) / period;
}

void flush_denormals() {
#if defined(__SSE__)
  constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
#endif
}

}  // namespace

int available_threads() {
  const int threads = affinity_threads();
  const double quota = cgroup_quota();
  return quota > 0 ? std::clamp(static_cast<int>(std::ceil(quota)), 1, threads) : threads;
}

int asked_threads() {
  const char* const text = std::getenv("OMP_NUM_THREADS");
  if (!text) return 0;
  constexpr long kMost = 1024;  // as --cpu-threads
  return static_cast<int>(std::clamp(std::strtol(text, nullptr, 10), 0L, kMost));
}

int default_threads() {
  const int asked = asked_threads();
  return asked > 0 ? asked : available_threads();
}

void set_thread_count(int threads) {
  pool_size = threads > 0 ? threads : default_threads();
  omp_set_dynamic(0);
  omp_set_num_threads(pool_size);
#pragma omp parallel
  flush_denormals();
}

int thread_count() {
  if (omp_in_parallel()) return 1;
  if (pool_size == 0) set_thread_count(0);
  return pool_size;
}

}  // namespace xf
