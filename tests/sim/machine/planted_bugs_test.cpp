// Each bug of planted_bugs.cu, in a program of its own, must fail with a message that names the
// line marked there, in every mode listed for it. The two kernels without a bug must pass in all of
// them.
#include <array>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace {

enum Mode { plain, asan, race };

struct Expected {
  const char* bug;
  std::vector<Mode> modes;
};

const std::vector<Expected> kExpected = {
    {"missing_barrier", {race}},
    {"buffer_used_again", {race}},
    {"missing_syncwarp", {race}},
    {"shuffle_is_no_fence", {race}},
    {"sum_without_atomic", {race}},
    {"blocks_share_a_place", {race}},
    {"atomic_and_plain", {race}},
    {"copy_without_wait", {asan, race}},
    {"copy_without_barrier", {race}},
    {"wait_for_too_few", {asan, race}},
    {"shared_write_past_end", {asan, race}},
    {"shared_read_past_end", {asan, race}},
    {"dynamic_past_end", {asan, race}},
    {"write_past_end", {asan, race}},
    {"read_past_end", {asan, race}},
    {"read_after_free", {asan, race}},
    {"read_from_host", {race}},
    {"shared_not_written", {race}},
    {"global_not_written", {race}},
    {"misaligned_load", {plain, asan, race}},
    {"misaligned_cast", {asan}},
    {"misaligned_copy", {plain, asan, race}},
    {"misaligned_matrix", {plain, asan, race}},
    {"too_much_shared", {plain, asan, race}},
    {"barrier_in_branch", {plain, asan, race}},
    {"barrier_in_both_branches", {plain, asan, race}},
    {"early_exit", {plain, asan, race}},
    {"barrier_in_loop", {plain, asan, race}},
    {"shuffle_in_branch", {plain, asan, race}},
    {"shuffles_in_both_branches", {plain, asan, race}},
    {"reductions_in_both_branches", {plain, asan, race}},
    {"shuffle_from_outside", {plain, asan, race}},
    {"shuffle_not_in_mask", {plain, asan, race}},
    {"shuffle_against_barrier", {plain, asan, race}},
    {"ballot_after_exit", {plain, asan, race}},
};

struct Result {
  int status;
  std::string output;
};

Result run(Mode mode, const std::string& bug, const std::string& schedule = "forward") {
  const std::array<const char*, 3> names = {"plain", "asan", "race"};
  const std::string command = "ASAN_OPTIONS=detect_leaks=0 XF_SIM_SCHEDULE=" + schedule +
                              " timeout 60 \"${XF_SIM_PROGRAMS:-.}\"/sim_planted_bugs_" + names[mode] + " " +
                              bug + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  std::string output;
  char text[4096];
  while (std::fgets(text, sizeof text, pipe)) output += text;
  return {pclose(pipe), output};
}

// "planted_bugs.cu:42"
std::string marked_line(const std::string& bug) {
  std::ifstream file(XF_PLANTED_BUGS);
  const std::string mark = "// " + bug;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.size() >= mark.size() && line.substr(line.size() - mark.size()) == mark) {
      return "planted_bugs.cu:" + std::to_string(number);
    }
  }
  return "";
}

}  // namespace

TEST_CASE("Planted bugs: each is found, and the message names its line", "[unit]") {
  for (const auto& [bug, modes] : kExpected) {
    const std::string line = marked_line(bug);
    REQUIRE_FALSE(line.empty());
    for (const Mode mode : modes) {
      const Result result = run(mode, bug);
      INFO(bug << " in mode " << mode << " should name " << line << ":\n" << result.output);
      CHECK(result.status != 0);
      CHECK(result.output.find(line) != std::string::npos);
    }
  }
}

TEST_CASE("Planted bugs: missing barriers show as wrong values under one of two schedules", "[unit]") {
  for (const char* bug : {"missing_barrier", "copy_without_barrier"}) {
    INFO(bug);
    CHECK((run(plain, bug).status != 0 || run(plain, bug, "reverse").status != 0));
  }
}

TEST_CASE("Planted bugs: the host cannot read device memory", "[unit]") {
  for (const Mode mode : {plain, race}) {
    const Result result = run(mode, "device_memory_on_host");
    CHECK(result.status != 0);
    CHECK_THAT(result.output, Catch::Contains("the host reads or writes device memory"));
  }
  CHECK_THAT(run(asan, "device_memory_on_host").output, Catch::Contains("planted_bugs_main.cpp"));
}

TEST_CASE("Planted bugs: nothing is found in kernels without one", "[unit]") {
  for (const char* kernel : {"right_sum", "right_atomic"}) {
    for (const Mode mode : {plain, asan, race}) {
      for (const char* schedule : {"forward", "reverse", "random:1", "random:2"}) {
        const Result result = run(mode, kernel, schedule);
        INFO(kernel << " in mode " << mode << ", " << schedule << ":\n" << result.output);
        CHECK(result.status == 0);
      }
    }
  }
}
