#include "tools/console/main.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

#include "core/error.h"
#include "core/processor.h"
#include "core/stop.h"
#include "tools/console/message.h"
#include "tools/console/output_file.h"
#include "tools/console/terminal.h"

namespace xf::tools {
namespace {

// The first file that is opened takes the place of a standard stream that is closed, and would then
// be read or written as that. So the place is taken: input and output fail if they are used,
// messages go nowhere.
void occupy_standard_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int useless = number == STDOUT_FILENO ? O_RDONLY : O_WRONLY;
    // the lowest free number
    if (fcntl(number, F_GETFD) < 0) static_cast<void>(open("/dev/null", useless));
  }
}

int report(const std::string& what, ErrorKind kind) {
  std::fflush(stdout);
  const bool colors = detect_terminal(stderr).colors;
  // Not fmt::print: it would throw where the standard error is closed.
  std::fputs(
      fmt::format("{}error:{} {}\n", colors ? "\x1b[1;31m" : "", colors ? "\x1b[0m" : "", message_line(what))
          .c_str(),
      stderr);
  return static_cast<int>(kind);
}

// Output is buffered: a print or only the flush says whether it got there.
int answer(const std::function<int(int, char**)>& body, int argc, char** argv) {
  try {
    const int code = body(argc, argv);
    if (std::fflush(stdout) != 0) fail_standard_output(errno);
    return code;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) fail_standard_output(error.code().value());
    throw;
  }
}

ErrorKind kind_of(const std::error_code& code) {
  const bool resources = code == std::errc::no_space_on_device || code == std::errc::not_enough_memory ||
                         code == std::errc::read_only_file_system || code == std::errc::file_too_large;
  return resources ? ErrorKind::resources : ErrorKind::failure;
}

}  // namespace

int run_program(int argc, char** argv, const std::function<int(int, char**)>& body) {
  occupy_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files (ulimit -f) is an error of the
                                  // write
  try {
    cpu_level();  // a level that is not there is an error of usage, before anything begins
    return answer(body, argc, argv);
  } catch (const Error& error) {
    return report(error.what(), error.kind());
  } catch (const Stopped& stopped) {
    return 128 + stopped.signal();
  } catch (const std::bad_alloc&) {
    return report("out of memory; smaller batches (see --help) or shorter lines need less",
                  ErrorKind::resources);
  } catch (const std::filesystem::filesystem_error&
               error) {  // links in a circle, a folder that may not be entered
    return report(fmt::format("{}: {}; check the path", error.path1().string(), error.code().message()),
                  kind_of(error.code()) == ErrorKind::failure ? ErrorKind::data : ErrorKind::resources);
  } catch (const std::system_error& error) {  // from the standard library, or from fmt::print
    return report(error.what(), kind_of(error.code()));
  } catch (const std::exception& error) {
    return report(error.what(), ErrorKind::failure);
  }
}

}  // namespace xf::tools
