#include "bench/sampler.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <string>

namespace xf::bench {

namespace {

// Of one tick of /proc/stat at each end of a sample.
constexpr double kTickError = 0.02;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// Processor seconds of everybody else so far: other processes, and other guests of the same host (steal).
double used_by_others() {
  std::ifstream stat("/proc/stat");
  std::string cpu;
  int64_t user = 0, nice = 0, system = 0, idle = 0, io_wait = 0, interrupts = 0, soft_interrupts = 0,
          steal = 0;
  stat >> cpu >> user >> nice >> system >> idle >> io_wait >> interrupts >> soft_interrupts >> steal;
  if (!stat) return 0;
  const auto ticks = static_cast<double>(user + nice + system + interrupts + soft_interrupts + steal);
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) - seconds_of(own.ru_utime) -
         seconds_of(own.ru_stime);
}

}  // namespace

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double Samples::quantile(double q) const {
  const double place = q * static_cast<double>(seconds.size() - 1);
  const auto below = static_cast<size_t>(place), above = std::min(below + 1, seconds.size() - 1);
  return std::lerp(seconds[below], seconds[above], place - static_cast<double>(below));
}

Samples sample(const SamplerOptions& options, const std::function<void()>& run) {
  for (int i = 0; i < options.warm_ups; ++i) run();
  std::vector<double> quiet, disturbed;
  const auto wanted = static_cast<size_t>(options.samples);
  for (int i = 0; i < options.attempts * options.samples && quiet.size() < wanted; ++i) {
    const double others = used_by_others(), start = now();
    run();
    const double seconds = now() - start;
    const bool is_quiet = used_by_others() - others <= options.others_allowed * seconds + kTickError;
    (is_quiet ? quiet : disturbed).push_back(seconds);
  }
  Samples samples{std::move(quiet), 0};
  while (samples.seconds.size() < wanted) {
    samples.seconds.push_back(disturbed[static_cast<size_t>(samples.disturbed++)]);
  }
  std::sort(samples.seconds.begin(), samples.seconds.end());
  return samples;
}

double peak_resident_bytes() {
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  return 1024.0 * static_cast<double>(own.ru_maxrss);
}

}  // namespace xf::bench
