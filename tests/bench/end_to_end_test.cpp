#include "bench/end_to_end.h"

#include <cmath>
#include <filesystem>
#include <iterator>

#include "bench/peers.h"
#include "bench/process.h"
#include "bench/scaling.h"
#include "core/error.h"
#include "core/parallel.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"

namespace xf::bench {
namespace {

using Catch::Contains;

TEST_CASE("EndToEnd: speed that falls by a tenth during training shows", "[unit]") {
  std::vector<double> rates(200, 1000.0);
  CHECK(flatness(rates) == 1);
  for (size_t i = 150; i < rates.size(); ++i) rates[i] = 900;
  CHECK(flatness(rates) == Approx(0.9));
  CHECK(std::isnan(flatness(std::vector<double>(15, 1000.0))));
}

TEST_CASE("EndToEnd: a training too short to be timed is refused", "[unit]") {
  CHECK_THROWS_WITH(
      Process({tests::programs_folder() + "/xformer-bench", "--end-to-end", "train", "--updates", "10"})
          .finish(),
      Contains("--updates 10") && Contains("at least 20"));
}

TEST_CASE("Scaling: slopes are the exponents of the points", "[unit]") {
  std::vector<Row> rows;
  for (const double x : {64.0, 128.0, 256.0}) {
    Row row;
    row.shape = "width=" + std::to_string(static_cast<int>(x));
    row.x = x;
    row.tokens = 10;
    row.floor_s = 3 * x;
    row.samples = {{x * x}, 0};
    rows.push_back(row);
  }
  const auto slopes = slopes_of(rows);
  REQUIRE(slopes.size() == 1);
  CHECK(slopes[0].axis == "width");
  CHECK(slopes[0].expected == Approx(1));
  CHECK(slopes[0].measured == Approx(2));
}

TEST_CASE("Peers: the last line of a script counts, and a reason takes the place of a time", "[unit]") {
  const PeerTime time =
      peer_time("torch",
                "a warning\n{\"median_s\": 0.5, \"version\": \"2.11\", \"variant\": \"eager\", \"tokens\": 7,"
                "\"tried\": [{\"setting\": \"eager\", \"seconds\": 0.5}]}\n");
  CHECK(time.median_s == 0.5);
  CHECK(time.name == "torch 2.11, eager");
  CHECK(time.tokens == 7);
  REQUIRE(time.tuning.tried.size() == 1);
  CHECK(time.tuning.tried[0].seconds == 0.5);
  CHECK(peer_time("torch", "{\"skip\": \"no counterpart\"}").why_not == "torch: no counterpart");
  CHECK_FALSE(peer_time("torch", "Traceback").why_not.empty());
}

TEST_CASE("Process: lines go in and come out, and a failure brings the last message", "[unit]") {
  Process cat({"cat"});
  cat.write_line("one");
  CHECK(cat.read_line() == "one");
  cat.write_line("two");
  CHECK(cat.read_line() == "two");
  Process failing({"sh", "-c", "echo out; echo first >&2; echo last >&2; exit 3"});
  CHECK_THROWS_WITH(failing.finish(), Contains("last") && !Contains("first"));
  Process told({"sh", "-c", "echo $XF_TEST_WORD"}, {{"XF_TEST_WORD", "hello"}});
  CHECK(told.finish() == "hello\n");
  CHECK_THROWS_WITH(Process({"sh", "-c", "echo 'error: no room' >&2; exit 5"}).finish(),
                    Contains("sh: no room") && !Contains("error"));
  CHECK_THROWS_AS(Process({"/nowhere/no-such-program"}), Error);
}

TEST_CASE("Process: no thread of ours is left to spin beside it", "[unit]") {
  using std::filesystem::directory_iterator;
  set_thread_count(3);
  CHECK(std::distance(directory_iterator("/proc/self/task"), {}) == 3);
  Process process({"true"});
  CHECK(std::distance(directory_iterator("/proc/self/task"), {}) == 1);
  process.finish();
  set_thread_count(0);
}

TEST_CASE("Process: a program that has ended is an error, not a signal", "[unit]") {
  Process ended({"true"});
  CHECK_THROWS_AS(ended.read_line(), Error);
  // A program's end closes its pipes in any order; this one says when nobody reads any more.
  Process deaf({"sh", "-c", "exec <&-; echo closed"});
  REQUIRE(deaf.read_line() == "closed");
  CHECK_THROWS_AS(deaf.write_line("a word"), Error);
}

}  // namespace
}  // namespace xf::bench
