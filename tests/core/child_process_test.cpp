#include "core/child_process.h"

#include <unistd.h>

#include <csignal>

#include "core/error.h"
#include "core/stop.h"
#include "tests/data/errors.h"
#include "tests/support/catch.h"

using namespace xf;
using tests::error_of;

namespace {

void nothing() {}

}  // namespace

TEST_CASE("Child process: its result is the work's, of any bytes and length, and its memory is its own",
          "[unit]") {
  std::string here = "before", bytes("\0\n", 2);
  bytes.resize(1 << 20, 'x');
  const auto work = [&] {
    here = "changed";
    return bytes;
  };
  CHECK(run_in_child(work, nothing) == bytes);
  CHECK(here == "before");
  CHECK(run_in_child([] { return std::string(); }, nothing).empty());
}

TEST_CASE("Child process: an error of the work is thrown with its kind, a killed child told", "[unit]") {
  CHECK(error_of([] { run_in_child([]() -> std::string { fail(ErrorKind::data, "no text"); }, nothing); }) ==
        "3: no text");
  CHECK_THAT(error_of([] { run_in_child([]() -> std::string { throw std::bad_alloc(); }, nothing); }),
             Catch::StartsWith("5: "));
  const auto dies = []() -> std::string {
    kill(getpid(), SIGKILL);
    return "";
  };
  CHECK_THAT(error_of([&] { run_in_child(dies, nothing); }), Catch::Contains("was killed"));
}

TEST_CASE("Child process: a stop ends it", "[unit]") {
  const auto sleeps = []() -> std::string {
    sleep(600);
    return "";
  };
  CHECK_THROWS_AS(run_in_child(sleeps, [] { ask_stop(SIGINT); }), Stopped);
  forget_stop();
}
