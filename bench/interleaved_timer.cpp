#include "bench/interleaved_timer.h"

#include <benchmark/benchmark.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "core/parallel.h"

namespace xf::bench {

namespace {

// Of one tick of /proc/stat at each end of a sample.
constexpr double kTickError = 0.02;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double used_by(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

// Ticks that the processor of a "cpuN ..." line was not idle; 0 for other lines and for processors
// that this process may not run on.
int64_t busy_ticks(const std::string& line, const cpu_set_t& own) {
  if (!line.starts_with("cpu") || line.size() < 4 || line[3] == ' ') return 0;
  std::istringstream fields(line.substr(3));
  int processor = 0;
  int64_t user = 0, nice = 0, system = 0, idle = 0, io_wait = 0, interrupts = 0, soft_interrupts = 0,
          steal = 0;
  fields >> processor >> user >> nice >> system >> idle >> io_wait >> interrupts >> soft_interrupts >> steal;
  if (processor >= CPU_SETSIZE || !CPU_ISSET(processor, &own)) return 0;
  return user + nice + system + interrupts + soft_interrupts + steal;
}

// Processor seconds of everybody else so far.
double used_by_others() {
  std::ifstream stat("/proc/stat");
  cpu_set_t own;
  if (!stat || sched_getaffinity(0, sizeof own, &own) != 0) return 0;
  int64_t ticks = 0;
  for (std::string line; std::getline(stat, line);) ticks += busy_ticks(line, own);
  return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK)) - used_by(RUSAGE_SELF) -
         used_by(RUSAGE_CHILDREN);
}

// Copies within the first-level cache of each thread.
double seconds_of_copies() {
  constexpr size_t kHalf = 12 << 10;  // bytes; both halves fit into 32 KB
  constexpr int kCopies = 160;        // some 20 us
  const double start = now();
  parallel_for(thread_count(), 1, [](int64_t, int64_t) {
    alignas(64) char block[2 * kHalf] = {};
    for (int i = 0; i < kCopies; ++i) {
      std::memcpy(block + (i % 2) * kHalf, block + (1 - i % 2) * kHalf, kHalf);
      benchmark::DoNotOptimize(block);
    }
  });
  return now() - start;
}

}  // namespace

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Samples Samples::of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {std::move(seconds), 0};
}

double Samples::quantile(double q) const {
  const double place = q * static_cast<double>(seconds.size() - 1);
  const auto below = static_cast<size_t>(place), above = std::min(below + 1, seconds.size() - 1);
  return std::lerp(seconds[below], seconds[above], place - static_cast<double>(below));
}

void Samples::add(const Samples& other) {
  seconds.insert(seconds.end(), other.seconds.begin(), other.seconds.end());
  std::sort(seconds.begin(), seconds.end());
  disturbed += other.disturbed;
}

bool slowed() {
  constexpr int kAttempts = 3;  // the first may find its threads asleep
  constexpr double kAllowed = 1.25;
  static double best = std::numeric_limits<double>::infinity();
  double seconds = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kAttempts; ++i) seconds = std::min(seconds, seconds_of_copies());
  best = std::min(best, seconds);
  return seconds > kAllowed * best;
}

Neighbours::Neighbours() : others_(used_by_others()), start_(now()), slowed_(slowed()) {}

bool Neighbours::disturbed() const {
  return slowed_ || slowed() || used_by_others() - others_ > kOthersAllowed * (now() - start_) + kTickError;
}

Samples sample(const TimingOptions& options, const std::function<void()>& run) {
  for (int i = 0; i < options.warm_ups; ++i) run();
  std::vector<double> quiet, disturbed;
  const auto wanted = static_cast<size_t>(options.samples);
  for (int i = 0; i < options.attempts * options.samples && quiet.size() < wanted; ++i) {
    const Neighbours neighbours;
    const double start = now();
    run();
    const double seconds = now() - start;
    (neighbours.disturbed() ? disturbed : quiet).push_back(seconds);
  }
  Samples samples{std::move(quiet), 0};
  while (samples.seconds.size() < wanted) {
    samples.seconds.push_back(disturbed[static_cast<size_t>(samples.disturbed++)]);
  }
  std::sort(samples.seconds.begin(), samples.seconds.end());
  return samples;
}

Turns take_turns(int turns, const std::function<double()>& a, const std::function<double()>& b) {
  Turns taken;
  for (int i = 0; i < turns; ++i) {
    if (i % 2 == 0) taken.a.push_back(a());
    taken.b.push_back(b());
    if (i % 2 != 0) taken.a.push_back(a());
  }
  return taken;
}

double peak_resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return 1024.0 * std::stod(line.substr(line.find(':') + 1));
  }
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  return 1024.0 * static_cast<double>(own.ru_maxrss);
}

// proc(5): resets VmHWM
void reset_peak_resident() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace xf::bench
