#include "bench/process.h"

#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "core/error.h"

extern char** environ;

namespace xf::bench {

namespace {

namespace fs = std::filesystem;

struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(ErrorKind::resources, "a pipe cannot be made");
  }
  std::array<int, 2> ends{};  // to read, to write
};

// While it lives, writing to a program that has ended is an error, not our end.
struct ErrorAtBrokenPipe {
  ErrorAtBrokenPipe() : before(std::signal(SIGPIPE, SIG_IGN)) {}
  ~ErrorAtBrokenPipe() { std::signal(SIGPIPE, before); }
  ErrorAtBrokenPipe(const ErrorAtBrokenPipe&) = delete;
  ErrorAtBrokenPipe& operator=(const ErrorAtBrokenPipe&) = delete;
  void (*before)(int);
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::string rest_of(std::FILE* file) {
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  return text;
}

}  // namespace

std::string program_beside_this(const std::string& name) {
  const fs::path path = fs::read_symlink("/proc/self/exe").parent_path() / name;
  if (!fs::exists(path)) fail(ErrorKind::usage, "{} is missing; build it first", path.string());
  return path.string();
}

void end_own_threads() { omp_pause_resource_all(omp_pause_hard); }

Process::Process(const std::vector<std::string>& command,
                 const std::map<std::string, std::string>& environment)
    : name_(command.front()), called_(name_.substr(name_.rfind('/') + 1)), errors_(std::tmpfile()) {
  if (!errors_) fail(ErrorKind::resources, "a temporary file cannot be made");
  const Pipe to, from, failed;  // `failed` closes when the program takes over, and says a byte when
                                // it cannot
  std::vector<std::string> arguments = command, variables;
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    if (!environment.contains(text.substr(0, text.find('=')))) variables.push_back(text);
  }
  const std::vector<char*> argv = pointers(arguments), envp = pointers(variables);
  end_own_threads();
  pid_ = fork();
  if (pid_ == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // a peer does not outlive a benchmark that is killed
    dup2(to.ends[0], STDIN_FILENO);
    dup2(from.ends[1], STDOUT_FILENO);
    dup2(fileno(errors_), STDERR_FILENO);
    execvpe(argv.front(), argv.data(), envp.data());
    _exit(write(failed.ends[1], "!", 1) == 1 ? 127 : 126);
  }
  close(to.ends[0]);
  close(from.ends[1]);
  close(failed.ends[1]);
  input_ = fdopen(to.ends[1], "w");
  output_ = fdopen(from.ends[0], "r");
  char mark = 0;
  const bool failing = pid_ < 0 || read(failed.ends[0], &mark, 1) > 0;
  close(failed.ends[0]);
  if (!failing) return;
  wait();
  std::fclose(output_);
  std::fclose(errors_);
  fail(ErrorKind::failure, "{} cannot be started", name_);
}

Process::~Process() {
  wait();
  if (output_) std::fclose(output_);
  if (errors_) std::fclose(errors_);
}

void Process::write_line(const std::string& line) {
  const ErrorAtBrokenPipe guard;
  if (std::fprintf(input_, "%s\n", line.c_str()) < 0 || std::fflush(input_) != 0) fail_with_message();
}

std::string Process::read_line(double limit_s) {
  pollfd waited{fileno(output_), POLLIN, 0};
  if (limit_s != kNoLimit && poll(&waited, 1, static_cast<int>(1e3 * limit_s)) == 0) {
    kill(pid_, SIGKILL);
    wait();
    fail(ErrorKind::failure, "{}: no answer within {} s", called_, limit_s);
  }
  std::string line;
  int c = std::fgetc(output_);
  for (; c != EOF && c != '\n'; c = std::fgetc(output_)) line += static_cast<char>(c);
  if (c == EOF && line.empty()) fail_with_message();
  return line;
}

double Process::read_seconds(double limit_s) {
  const std::string line = read_line(limit_s);
  std::istringstream text(line);
  double seconds = 0;
  std::string rest;
  if (!(text >> seconds) || text >> rest || !std::isfinite(seconds) || seconds <= 0)
    fail(ErrorKind::failure, "{}: '{}' is no time", called_, line);
  return seconds;
}

void Process::close_input() {
  const ErrorAtBrokenPipe guard;
  if (input_) std::fclose(input_);
  input_ = nullptr;
}

int Process::wait() {
  close_input();
  if (pid_ <= 0) return code_;
  int status = 0;
  rusage usage{};
  wait4(pid_, &status, 0, &usage);
  pid_ = 0;
  peak_bytes_ = 1024.0 * static_cast<double>(usage.ru_maxrss);
  if (WIFSIGNALED(status)) signal_ = WTERMSIG(status);
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return code_;
}

std::string Process::finish() {
  const std::string text = rest_of(output_);
  if (wait() != 0) fail_with_message();
  return text;
}

std::string Process::messages() const {
  std::rewind(errors_);
  return rest_of(errors_);
}

void Process::fail_with_message() {
  const bool by_itself = wait() == 0;
  std::string text = messages();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const size_t line = text.rfind('\n');
  if (line != std::string::npos) text = text.substr(line + 1);
  if (const std::string mark = "error: "; text.starts_with(mark)) text = text.substr(mark.size());
  if (signal_ != 0)
    text += fmt::format("{}it was ended by a signal: {}", text.empty() ? "" : "; ", strsignal(signal_));
  if (by_itself || text.empty())
    text = text.empty() ? "it ended without a word" : "it ended; its last words: " + text;
  fail(ErrorKind::failure, "{}: {}", called_, text);
}

std::string first_line_of(const std::vector<std::string>& command,
                          const std::map<std::string, std::string>& environment) {
  try {
    const std::string told = Process(command, environment).finish();
    return told.substr(0, told.find('\n'));
  } catch (const Error&) {
    return "";
  }
}

}  // namespace xf::bench
