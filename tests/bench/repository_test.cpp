#include "bench/repository.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "bench/peers.h"
#include "bench/process.h"
#include "core/error.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

namespace xf::bench {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;
using tests::error_of;

// A current folder that looks like a repository.
class Decoy {
 public:
  Decoy() {
    fs::create_directories(folder_ / "bench/peers");
    fs::create_directories(folder_ / "build/peers-venv/bin");
    folder_.write("bench/peers/torch_ops.py", "");
    folder_.write("build/peers-venv/bin/python", "");
    folder_.write("commit", "decoy\n");
    fs::current_path(folder_ / "");
  }
  ~Decoy() { fs::current_path(before_); }
  Decoy(const Decoy&) = delete;
  Decoy& operator=(const Decoy&) = delete;

 private:
  const fs::path before_ = fs::current_path();
  const tests::TemporaryFolder folder_;
};

TEST_CASE("Repository: it is where the program lies, not the current folder", "[unit]") {
  const std::string results = repository_path("bench/results"), script = peer_script("torch_ops.py"),
                    commit = built_commit();
  const Decoy decoy;
  CHECK(repository_path("bench/results") == results);
  CHECK(peer_script("torch_ops.py") == script);
  CHECK(built_commit() == commit);
  CHECK_THAT(error_of([] { peer_script("nothing.py"); }), Contains("there is no /"));
}

TEST_CASE("Repository: the peers' Python has an absolute path", "[unit]") {
  const Decoy decoy;
  const char* const given = std::getenv("XFORMER_PEERS_VENV");
  const std::string before = given ? given : "";
  for (const char* const relative : {"build/peers-venv", "./build/peers-venv", "."}) {
    setenv("XFORMER_PEERS_VENV", relative, 1);
    CHECK_THAT(error_of([] { peers_python(); }), Contains("set XFORMER_PEERS_VENV to the absolute path"));
  }
  setenv("XFORMER_PEERS_VENV", fs::absolute("build/peers-venv").c_str(), 1);
  CHECK(peers_python() == fs::absolute("build/peers-venv/bin/python"));
  given ? setenv("XFORMER_PEERS_VENV", before.c_str(), 1) : unsetenv("XFORMER_PEERS_VENV");
}

TEST_CASE("Process: no shell reads its words, and who writes to one that has ended stays as it was",
          "[unit]") {
  const std::string words = "it's \"a\" $(exit 3) `exit 3`; exit 3";
  CHECK(first_line_of({"printf", "%s\\nmore", words}) == words);
  CHECK(first_line_of({"false"}).empty());
  CHECK(first_line_of({"xformer-no-such-program"}).empty());
  const auto ours = std::signal(SIGPIPE, SIG_DFL);
  {
    Process ended({"true"});
    ended.finish();
    Process gone({"true"});
    CHECK_THROWS_AS(
        [&] {
          for (int i = 0; i < 1000; ++i) gone.write_line(std::string(1000, 'x'));
        }(),
        Error);
  }
  CHECK(std::signal(SIGPIPE, ours) == SIG_DFL);
}

}  // namespace
}  // namespace xf::bench
