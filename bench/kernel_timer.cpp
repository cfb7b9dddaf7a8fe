#include "bench/kernel_timer.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "core/graph.h"

namespace xf::bench {

namespace {

constexpr double kShortestSample = 2e-4;  // seconds; a clock's error of 25 ns is then far below a
                                          // percent
constexpr size_t kMostInputs = 64;        // cases so small that more would be needed are not bound
                                          // by memory
constexpr int kAttempts = 4, kWarmUps = 2;

class Silent : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

// Runs `timed` as often as Google Benchmark finds right: it calls with growing numbers of
// iterations, and the last of them counts. An iteration is all calls that are timed at once.
std::vector<double> iterate(const std::string& name, const TimerOptions& options, TimedCase& timed) {
  std::vector<double> seconds;
  auto* const registered = benchmark::RegisterBenchmark(name.c_str(), [&](benchmark::State& state) {
    seconds.clear();
    while (state.KeepRunning()) {
      seconds.push_back(timed.time());
      state.SetIterationTime(seconds.back() * static_cast<double>(timed.calls_at_once()));
    }
  });
  registered->UseManualTime();
  options.samples > 0 ? registered->Iterations(options.samples) : registered->MinTime(options.seconds);
  Silent reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();
  return seconds;
}

}  // namespace

TimedCase::TimedCase(const Case& c, const TimerOptions& options)
    : arena_(c.target.device), slowdown_(options.slowdown) {
  Inputs inputs(c.target, arena_);
  const int64_t wanted = options.cold ? 2 * cache_bytes(c.target.device) : 0;
  do {
    calls_.push_back(c.make(inputs));
  } while (arena_.used_bytes() < wanted && calls_.size() < kMostInputs);
  const double start = now();
  for (int i = 0; i < kWarmUps; ++i) {
    for (const Call& call : calls_) call.run();
  }
  const double each = (now() - start) / static_cast<double>(kWarmUps * calls_.size());
  at_once_ = std::max<int64_t>(1, std::llround(kShortestSample / each));
  // A recording repeats the same calls, so that it must hold all of them.
  const auto size = static_cast<int64_t>(calls_.size());
  if (Graph::replays(c.target.device)) at_once_ = (at_once_ + size - 1) / size * size;
  clock_ = make_clock(c.target.device, [this] { run(); });
}

double TimedCase::time() { return (1 + slowdown_) * clock_->time() / static_cast<double>(at_once_); }

double TimedCase::turn() {
  constexpr double kMoment = 0.03;  // seconds, at least
  constexpr size_t kFewestCalls = 3;
  time();
  std::vector<double> seconds;
  const double start = now();
  while (now() - start < kMoment || seconds.size() < kFewestCalls) seconds.push_back(time());
  return Samples::of(std::move(seconds)).quantile(0.5);
}

void TimedCase::run() {
  for (int64_t i = 0; i < at_once_; ++i) {
    calls_[next_].run();
    next_ = (next_ + 1) % calls_.size();
  }
}

Samples time_kernel(const Case& c, const TimerOptions& options) {
  TimedCase timed(c, options);
  Samples samples;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Neighbours neighbours;
    samples.seconds = iterate(c.fn + "/" + c.shape(), options, timed);
    const bool disturbed = neighbours.disturbed();
    samples.disturbed = disturbed ? static_cast<int>(samples.seconds.size()) : 0;
    if (!disturbed) break;
  }
  std::sort(samples.seconds.begin(), samples.seconds.end());
  return samples;
}

}  // namespace xf::bench
