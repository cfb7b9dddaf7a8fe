#include "tools/app/ranks.h"
#include "tools/config/training_options.h"
#include "tools/setup/compute_device.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "core/dist/mpi/launch.h"
#include "core/parallel.h"
#include "core/stop.h"
#include "tools/app/equal_ranks.h"
#include "tools/console/main.h"
#include "tools/console/progress.h"
#include "tools/setup/model_config.h"
#include "tools/tutorials/register.h"

namespace xf::tools {

namespace {

// While it is on, the standard streams lead nowhere.
class Silence {
 public:
  void begin() {
    if (messages_ >= 0) return;
    messages_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
  }
  void end() {
    if (messages_ >= 0) dup2(std::exchange(messages_, -1), STDERR_FILENO);
  }

 private:
  int messages_ = -1;
};

int run(Collective& ranks, Silence& silence, const std::function<int(Collective&)>& body) {
  const auto told = [&](const Error& error) { ranks.report_error(error) ? silence.end() : silence.begin(); };
  try {
    return body(ranks);
  } catch (const Error& error) {
    told(error);
    throw;
  } catch (const Stopped&) {
    throw;
  } catch (const std::bad_alloc&) {
    told(Error(ErrorKind::resources, "out of memory"));
    throw;
  } catch (const std::exception& error) {
    told(Error(ErrorKind::failure, error.what()));
    throw;
  }
}

// What is wrong with all of them one says: the launcher ends all with the first that ends. Who is
// left alone with it speaks.
void let_first_speak(Silence& silence) {
  if (launched_rank() == 0) return;
  silence.begin();
  sleep(2);
  silence.end();
}

std::unique_ptr<Collective> join(Silence& silence) {
  try {
    return join_ranks();
  } catch (const Error&) {  // they do not find each other
    let_first_speak(silence);
    throw;
  }
}

}  // namespace

int run_ranks(int argc, char** argv, const std::function<int(int, char**, Collective&)>& body) {
  tutorials::register_all();
  std::unique_ptr<Collective> joined;
  Silence silence;
  const int code = run_program(argc, argv, [&](int count, char** words) {
    watch_signals(OnStop::end);
    joined = join(silence);
    Collective& ranks = joined ? *joined : Collective::alone();
    if (!ranks.is_first()) silence.begin();
    return run(ranks, silence, [&](Collective& all) {
      check_same_version(all);
      return body(count, words, all);
    });
  });
  if (joined) joined->finalize();
  std::fflush(nullptr);
  if (joined && joined->broken()) _exit(code);  // what MPI would do at the end waits for the lost
  return code;
}

int run_alone(int argc, char** argv, const std::function<int(int, char**)>& body) {
  tutorials::register_all();
  Silence silence;
  return run_program(argc, argv, [&](int count, char** words) {
    if (launched_ranks() > 1) {
      let_first_speak(silence);
      fail(ErrorKind::usage,
           "started as {} processes, each of which would do all of the work; only xformer-train divides it, "
           "so start one",
           launched_ranks());
    }
    return body(count, words);
  });
}

int threads_of_rank(const ComputeOptions& options, Collective& ranks) {
  const auto given = static_cast<int>(options.cpu_threads);
  if (given > 0) return given;
  if (asked_threads() > 0) return asked_threads();
  std::vector<std::string> places = ranks.gather(ranks.host_of(ranks.rank()) + " " + affinity());
  const auto sharing = std::ranges::count(places, places[static_cast<size_t>(ranks.rank())]);
  return std::max(1, available_threads() / static_cast<int>(sharing));
}

std::vector<std::string> rank_table(const ComputeOptions& options, Collective& ranks) {
  std::vector<std::string> lines;
  if (ranks.size() == 1) return lines;
  const std::vector<std::string> all = ranks.gather(fmt::format(
      "{} · {} · {}", ranks.host_of(ranks.rank()), device_line(options), counted(thread_count(), "thread")));
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end] == all[begin]) ++end;
    lines.push_back(end - begin == 1 ? fmt::format("rank {}: {}", begin, all[begin])
                                     : fmt::format("ranks {} to {}, each: {}", begin, end - 1, all[begin]));
  }
  return lines;
}

}  // namespace xf::tools
