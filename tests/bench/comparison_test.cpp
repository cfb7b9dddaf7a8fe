// Samples are drawn from a model of a shared machine: a time of its own, spread of a few percent,
// and neighbours that make a share of the samples up to half as long again.
#include "bench/comparison.h"

#include <algorithm>

#include "core/error.h"
#include "core/philox.h"
#include "tests/support/catch.h"

namespace xf::bench {
namespace {

struct Noise {
  double spread;     // of the time itself, one standard deviation
  double disturbed;  // share of samples that a neighbour lengthens
};

Samples draw(int n, double seconds, const Noise& noise, uint64_t stream) {
  PhiloxSequence random(7, stream);
  Samples samples;
  for (int i = 0; i < n; ++i) {
    double normal = -6;
    for (int k = 0; k < 12; ++k) normal += static_cast<double>(random.uniform());
    const bool hit = static_cast<double>(random.uniform()) < noise.disturbed;
    const double extra = hit ? 0.1 + 0.4 * static_cast<double>(random.uniform()) : 0;
    samples.seconds.push_back(seconds * (1 + noise.spread * normal) * (1 + extra));
  }
  std::sort(samples.seconds.begin(), samples.seconds.end());
  return samples;
}

constexpr double kThreshold = 0.05;
constexpr int kRuns = 200;

int alarms(int n, double slower, const Noise& before, const Noise& after) {
  int count = 0;
  for (int run = 0; run < kRuns; ++run) {
    const auto stream = static_cast<uint64_t>(2 * run);
    const Samples a = draw(n, 1e-3, before, stream), b = draw(n, 1e-3 * slower, after, stream + 1);
    count += compare(a, b).regression(kThreshold);
  }
  return count;
}

TEST_CASE("Comparison: unchanged code raises no alarm, on a quiet and on a busy machine", "[unit]") {
  CHECK(alarms(15, 1, {0.01, 0}, {0.01, 0}) == 0);
  CHECK(alarms(30, 1, {0.02, 0.1}, {0.02, 0.1}) == 0);
  CHECK(alarms(30, 1, {0.03, 0.3}, {0.03, 0.3}) <= kRuns / 100);
}

TEST_CASE("Comparison: neighbours that come for the second run only raise no alarm", "[unit]") {
  CHECK(alarms(30, 1, {0.02, 0.05}, {0.02, 0.5}) <= kRuns / 100);
}

TEST_CASE("Comparison: a slowdown of 10 % is found", "[unit]") {
  CHECK(alarms(15, 1.1, {0.01, 0}, {0.01, 0}) == kRuns);
  CHECK(alarms(30, 1.1, {0.02, 0.1}, {0.02, 0.1}) >= kRuns * 95 / 100);
}

// Three runs, each slower than the program could be by up to `most` as a whole: other pages, a busy
// bus.
Samples pooled_runs(double seconds, double most, uint64_t stream) {
  PhiloxSequence random(11, stream);
  Samples all;
  for (uint64_t run = 0; run < 3; ++run) {
    all.add(draw(15, seconds * (1 + most * static_cast<double>(random.uniform())), {0.01, 0.1},
                 1000 + 3 * stream + run));
  }
  return all;
}

TEST_CASE("Comparison: pooling runs takes in what whole runs differ by, and still finds 10 %", "[unit]") {
  int false_alarms = 0, found = 0;
  for (uint64_t i = 0; i < kRuns; ++i) {
    const Samples before = pooled_runs(1, 0.05, 2 * i);
    false_alarms += compare(before, pooled_runs(1, 0.05, 2 * i + 1)).regression(kThreshold);
    found += compare(before, pooled_runs(1.1, 0.05, 2 * i + 1)).regression(kThreshold);
  }
  CHECK(false_alarms <= kRuns / 100);
  CHECK(found >= kRuns * 9 / 10);
}

// A machine that is 1.5 times as slow for some of the time, for many turns on end; and each turn's
// own noise.
std::pair<std::vector<double>, std::vector<double>> turns(int n, double slower, uint64_t stream) {
  PhiloxSequence random(13, stream);
  std::vector<double> a, b;
  double state = 1;
  const auto turn = [&](double seconds) {
    if (static_cast<double>(random.uniform()) < 0.05) state = state > 1 ? 1 : 1.5;
    return seconds * state * (1 + 0.06 * static_cast<double>(random.uniform()));
  };
  for (int i = 0; i < n; ++i) {
    if (i % 2 == 0) a.push_back(turn(1));
    b.push_back(turn(slower));
    if (i % 2 != 0) a.push_back(turn(1));
  }
  return {a, b};
}

TEST_CASE("Comparison: turns of two programs on a machine that is now fast, now slow", "[unit]") {
  int false_alarms = 0, found = 0, alarms_in_a_row = 0;
  for (uint64_t i = 0; i < kRuns; ++i) {
    const auto [a, same] = turns(40, 1, 2 * i);
    const auto [before, slower] = turns(40, 1.1, 2 * i + 1);
    false_alarms += compare_pairs(a, same).regression(kThreshold);
    found += compare_pairs(before, slower).regression(kThreshold);
    // The same program without turns: its first half against its second.
    const std::vector<double> first(a.begin(), a.begin() + 20), second(a.begin() + 20, a.end());
    alarms_in_a_row += compare_pairs(first, second).median > 1 + kThreshold;
  }
  CHECK(false_alarms == 0);
  CHECK(found >= kRuns * 95 / 100);
  CHECK(alarms_in_a_row > kRuns / 10);  // the noise is there
  CHECK_THROWS_AS(compare_pairs({1, 2}, {1}), Error);
}

TEST_CASE("Comparison: a speed-up and a slowdown below the threshold are none", "[unit]") {
  CHECK(alarms(15, 0.9, {0.01, 0}, {0.01, 0}) == 0);
  CHECK(alarms(15, 1.03, {0.01, 0}, {0.01, 0}) == 0);
}

TEST_CASE("Comparison: the same samples give the same answer", "[unit]") {
  const Samples a = draw(20, 1, {0.02, 0.2}, 1), b = draw(20, 1.1, {0.02, 0.2}, 2);
  CHECK(compare(a, b).surely == compare(a, b).surely);
  CHECK(compare(a, a).median == 1);
}

TEST_CASE("Comparison: too few samples prove nothing", "[unit]") {
  const Samples a{{1, 1, 1}, 0}, b{{2, 2, 2}, 0};
  CHECK(compare(a, b).median == 2);
  CHECK_FALSE(compare(a, b).regression(kThreshold));
  CHECK_FALSE(compare(a, b).enough);
  CHECK_FALSE(compare_pairs(a.seconds, b.seconds).enough);
  Comparison comparison{"old", "new", {{"copy", 1, 2, compare(a, b)}}, {}, {"added"}, {"none"}};
  CHECK(unproven(comparison) == std::vector<std::string>{"copy"});
}

Row row_named(const std::string& fn, double seconds, uint64_t stream) {
  Row row;
  row.fn = fn;
  row.shape = "4x4";
  row.dtype = "f32";
  row.device = "cpu";
  row.samples = draw(20, seconds, {0.01, 0}, stream);
  return row;
}

TEST_CASE("Comparison: rows are matched by name, the slowest first, and lone ones are told", "[unit]") {
  const Results a{"old", {}, {row_named("copy", 1, 1), row_named("scale", 1, 2), row_named("gone", 1, 3)}};
  const Results b{"new", {}, {row_named("scale", 1.2, 4), row_named("copy", 1, 5), row_named("added", 1, 6)}};
  const Comparison comparison = compare(a, b);
  REQUIRE(comparison.rows.size() == 2);
  CHECK(comparison.rows[1].key == "scale 4x4 f32 cpu");
  CHECK(comparison.rows[1].change.median == Approx(1.2).epsilon(0.02));
  CHECK(comparison.only_before == std::vector<std::string>{"gone 4x4 f32 cpu"});
  CHECK(comparison.only_after == std::vector<std::string>{"added 4x4 f32 cpu"});
  CHECK(unproven(comparison) == comparison.only_before);
  CHECK(regressions(comparison, kThreshold) == 1);
  const std::string text = to_text(comparison, kThreshold);
  CHECK(text.find("scale 4x4") < text.find("copy 4x4"));
  CHECK_THAT(text, Catch::Contains("slower"));
}

TEST_CASE("Comparison: a threshold is a percentage or a share", "[unit]") {
  CHECK(threshold_of("5%") == Approx(0.05));
  CHECK(threshold_of("0.1") == Approx(0.1));
  CHECK(threshold_of("150%") == Approx(1.5));
  for (const char* const wrong :
       {"", "%", "five", "-3%", "5%%", "0", "5", "1", "inf", "inf%", "nan", "nan%"}) {
    INFO(wrong);
    CHECK_THROWS_AS(threshold_of(wrong), Error);
  }
}

}  // namespace
}  // namespace xf::bench
