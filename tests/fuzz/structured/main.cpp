// Damaged files of each format, read in 512 MB of memory and 5 seconds each.
//   fuzz_structured FORMAT|all COUNT [SEED]      SEED: of the first file; the next one has the next
// Prints a line for each that a reader answers otherwise than by reading it or by an error about
// its input, and how many there were: exit code 1. The folder of one such file: fuzz_structured
// FORMAT 1 SEED, under $TMPDIR, stays.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string_view>

#include "core/error.h"
#include "core/parallel.h"
#include "tests/fuzz/structured/format.h"

namespace {

namespace fs = std::filesystem;
using namespace xf;
using namespace xf::fuzz;

constexpr Format kFormats[] = {{"marian", make_marian, read_model},
                               {"transformers", make_transformers, read_model},
                               {"ctranslate2", make_ctranslate2, read_model},
                               {"run", make_run, read_model},
                               {"sentencepiece", make_sentencepiece, read_vocabulary},
                               {"lists", make_list, read_vocabulary}};

constexpr rlim_t kMemory = rlim_t{512} << 20;
constexpr int kSeconds = 5, kWaiting = 30;  // of work; of waiting for a pipe that nobody writes to
constexpr uint64_t kBatch = 500;            // inputs of a process

// Where a process is, seen by the one that started it.
struct Progress {
  uint64_t seed;
  uint64_t whole, read;  // files without damage; files that were read to their end
};

void limit_time() {
  const itimerval work{{0, 0}, {kSeconds, 0}}, waiting{{0, 0}, {kWaiting, 0}};
  setitimer(ITIMER_PROF, &work, nullptr);
  setitimer(ITIMER_REAL, &waiting, nullptr);
}

// What is wrong with the answer, or "".
std::string judged(const Format& format, uint64_t seed, const std::string& folder, Progress& progress) {
  Damage counting(seed);
  fs::remove_all(folder);
  fs::create_directory(folder);
  format.make(counting, folder);
  Damage damage(seed, counting.fields());
  if (!damage.is_none()) {
    fs::remove_all(folder);
    fs::create_directory(folder);
    format.make(damage, folder);
  }
  progress.whole += damage.is_none();
  limit_time();
  try {
    format.read(folder);
    ++progress.read;
    return "";
  } catch (const Error& error) {
    if (damage.is_none()) return fmt::format("a whole file is refused: {}", error.what());
    const bool about_input = error.kind() == ErrorKind::data || error.kind() == ErrorKind::usage;
    return about_input ? "" : fmt::format("error {}: {}", error.exit_code(), error.what());
  } catch (const std::exception& error) {
    return fmt::format("exception: {}", error.what());
  }
}

void report(const Format& format, uint64_t seed, std::string_view what) {
  fmt::print("{} seed {}: {}\n", format.name, seed, what.substr(0, 300));
  std::fflush(stdout);
}

// From progress.seed to `end`. Exit code: findings, at most 100.
[[noreturn]] void run_batch(const Format& format, uint64_t end, const std::string& folder,
                            Progress& progress) {
  const rlimit memory{kMemory, kMemory}, none{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &none);
  set_thread_count(1);
  int findings = 0;
  for (; progress.seed < end; ++progress.seed) {
    const std::string what = judged(format, progress.seed, folder, progress);
    if (what.empty()) continue;
    report(format, progress.seed, what);
    findings += findings < 100 ? 1 : 0;
  }
  std::fflush(stdout);
  _exit(findings);
}

// Findings among the files of `seed` to `end`, those that end the process included.
uint64_t findings_of(const Format& format, uint64_t seed, uint64_t end, const std::string& folder,
                     Progress& progress) {
  uint64_t findings = 0;
  progress = {seed, 0, 0};
  while (progress.seed < end) {
    const pid_t child = fork();
    if (child == 0) run_batch(format, std::min(end, progress.seed + kBatch), folder, progress);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) {
      findings += static_cast<uint64_t>(WEXITSTATUS(status));
      continue;
    }
    report(format, progress.seed, fmt::format("ended by signal {}", strsignal(WTERMSIG(status))));
    ++findings;
    ++progress.seed;
  }
  return findings;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    fmt::print(stderr, "usage: {} FORMAT|all COUNT [SEED]\n", argv[0]);
    return 2;
  }
  const uint64_t count = std::strtoull(argv[2], nullptr, 10),
                 seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  auto* const progress = static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const std::string folder = (fs::temp_directory_path() /
                              fmt::format("xformer-fuzz-{}", count == 1 ? "one" : std::to_string(getpid())))
                                 .string();
  uint64_t findings = 0;
  for (const Format& format : kFormats) {
    if (argv[1] != std::string_view("all") && argv[1] != std::string_view(format.name)) continue;
    const auto start = std::chrono::steady_clock::now();
    const uint64_t found = findings_of(format, seed, seed + count, folder, *progress);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("{:<14} {} files, {} without damage, {} read, {} findings, {:.0f} a second\n", format.name,
               count, progress->whole, progress->read, found, static_cast<double>(count) / seconds);
    std::fflush(stdout);
    findings += found;
  }
  std::error_code none;
  if (count > 1) fs::remove_all(folder, none);
  return findings == 0 ? 0 : 1;
}
