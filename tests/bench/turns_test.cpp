// What a process does that takes turns, and two of them, on small shapes.
#include "bench/turns.h"

#include <sstream>

#include "bench/peers.h"
#include "bench/process.h"
#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"

namespace xf::bench {
namespace {

Request request_for(const std::string& fn) {
  Request request;
  request.fn = fn;
  request.preset = "odd";
  return request;
}

// A line per request, without its end.
std::vector<std::string> answers_to(const Request& request, const std::string& requests) {
  std::istringstream in(requests);
  std::ostringstream out;
  answer_turns(request, in, out);
  std::istringstream text(out.str());
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string first_row_of(const Request& request) {
  const Case c = choice_of(request).cases.at(0);
  return c.fn + " " + c.shape();
}

TEST_CASE("Turns: neighbours are a b, b a, and their ratios make the row", "[unit]") {
  std::string order;
  double slow = 1;  // the machine, twice as slow every other turn of the first
  const Turns turns = take_turns(
      5, [&] { return order += 'a', slow = 3 - slow; }, [&] { return order += 'b', 2 * slow; });
  CHECK(order == "abbaabbaab");
  CHECK(turns.a.size() == 5);
  CHECK(turns.b.size() == 5);
  Row row;
  row.set_turns({{1, 1, 2}, {1, 2, 2}});  // whose medians are 1 and 2
  CHECK(row.median() == 1);
  CHECK(row.ratio() == 1);
  CHECK_THAT(row.note, Catch::Contains("from 1.00 to 1.50"));
}

TEST_CASE("Turns: a kernel of another type is timed beside the same in f32", "[unit]") {
  Request request = request_for("layer_norm_forward");
  request.target.dtype = DType::bf16;
  request.baseline = kOwnF32;
  request.shape = choice_of(request).cases.at(0).shape();
  const Results results = run(
      request, [](const std::string&) {}, [](const Results&) {});
  REQUIRE(results.rows.size() == choice_of(request).cases.size());
  for (const Row& row : results.rows) {
    INFO(row.key() << ": " << row.note);
    CHECK(row.dtype == "bf16");
    CHECK(row.baseline == "f32");
    CHECK(row.baseline_s > 0);
    CHECK(row.samples.seconds.size() == kKernelTurns);
  }
}

TEST_CASE("Turns: a process makes a row's inputs, and times it as often as it is asked", "[unit]") {
  const Request request = request_for("softmax_forward");
  const auto answers =
      answers_to(request, "row " + first_row_of(request) + "\nturn\nturn\nrow nonsense 3x3\n");
  REQUIRE(answers.size() == 4);
  CHECK(answers[0] == "ready");
  for (const int i : {1, 2}) {
    CHECK(std::stod(answers[static_cast<size_t>(i)]) > 0);
  }
  CHECK(answers[3] == "none");
}

TEST_CASE("Turns: what is no request is refused, and so is a turn of nothing", "[unit]") {
  const Request request = request_for("softmax_forward");
  CHECK_THROWS_AS(answers_to(request, "faster\n"), Error);
  CHECK_THROWS_AS(answers_to(request, "turn\n"), Error);
}

const auto kSilent = [](const std::string&) {};
const std::string kProgram = tests::programs_folder() + "/xformer-bench";

TEST_CASE("Turns: a program against itself, as it is and reporting many times the time", "[unit]") {
  Request request = request_for("softmax");  // forward and backward
  request.shape = choice_of(request).cases.at(0).shape() + ".*";
  const size_t rows = choice_of(request).cases.size();
  const Comparison same = compare_in_turn(request, kProgram, kProgram, kSilent);
  CHECK(same.rows.size() == rows);
  CHECK(unproven(same).empty());
  request.timer.slowdown = 20;  // more than any machine is busy
  const Comparison slower = compare_in_turn(request, kProgram, kProgram, kSilent);
  REQUIRE(slower.rows.size() == rows);
  for (const Compared& row : slower.rows) {
    INFO(row.key);
    CHECK(row.before_s > 0);
    CHECK(row.change.median > 5);
    CHECK(row.change.regression(0.05));
  }
}

TEST_CASE("Turns: shapes that are given by their sizes are timed in both programs", "[unit]") {
  Request request = request_for("softmax_forward");
  request.shape = "N=3,D=4,5";
  const Comparison comparison = compare_in_turn(request, kProgram, kProgram, kSilent);
  CHECK(comparison.rows.size() == 2);
  CHECK(unproven(comparison).empty());
}

TEST_CASE("Turns: a program that cannot answer is told by name", "[unit]") {
  const Request request = request_for("softmax_forward");
  CHECK_THROWS_WITH(compare_in_turn(request, "/nowhere/xformer-bench", kProgram, kSilent),
                    Catch::Contains("/nowhere/xformer-bench cannot be started"));
  CHECK_THROWS_WITH(compare_in_turn(request, "false", kProgram, kSilent), Catch::Contains("false"));
}

TEST_CASE("Turns: a comparison of no rows is no pass", "[unit]") {
  CHECK_THROWS_WITH(Process({kProgram, "--against", kProgram, "--preset", "odd", "--fn", "train_step",
                             "--fail-if-regression", "5%"})
                        .finish(),
                    Catch::Contains("nothing to compare"));
}

TEST_CASE("Turns: options that a comparison would leave undone are refused", "[unit]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(Process({kProgram, "--against", kProgram, "--format", "json"}).finish(),
                    Contains("--against") && Contains("--format"));
  CHECK_THROWS_WITH(Process({kProgram, "--compare", "a,b", "--against", kProgram}).finish(),
                    Contains("leave out one of them"));
  CHECK_THROWS_WITH(Process({kProgram, "--fail-if-regression", "5%"}).finish(), Contains("needs --against"));
  CHECK_THROWS_WITH(Process({kProgram, "--against", kProgram, "--fail-if-regression", "five"}).finish(),
                    Contains("'five'"));
}

}  // namespace
}  // namespace xf::bench
