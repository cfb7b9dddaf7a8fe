#include "core/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <string_view>

#include "core/error.h"
#include "core/stop.h"

namespace xf {

namespace {

constexpr int kBetweenLooks = 50;  // milliseconds
constexpr char kDone = 0;          // in front of the result; in front of a message the kind of the
                                   // error

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0)
      fail(ErrorKind::resources, "cannot create a pipe to a child process: {}", std::strerror(errno));
  }
  ~Pipe() {
    close(ends_[0]);
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{};
};

// Does not outlive this object.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool ended_well() {
    int status = 0;
    const bool known = waitpid(pid_, &status, 0) == pid_;
    pid_ = 0;
    return known && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t pid_;
};

std::string with_kind(ErrorKind kind, const char* message) {
  return static_cast<char>(kind) + std::string(message);
}

std::string answer_of(const std::function<std::string()>& work) {
  try {
    return kDone + work();
  } catch (const Error& error) {
    return with_kind(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    return with_kind(ErrorKind::resources, "out of memory");
  } catch (const std::exception& error) {
    return with_kind(ErrorKind::failure, error.what());
  }
}

// The child's whole life. It ends with the thread that waits for it, whatever ends that.
[[noreturn]] void answer_and_exit(const std::function<std::string()>& work, int pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string answer = answer_of(work);
  for (std::string_view rest = answer; !rest.empty();) {
    const ssize_t written = write(pipe, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) _exit(1);
    rest.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
  }
  _exit(0);
}

// Waits; false at the end.
bool read_on(int pipe, std::string& text) {
  pollfd ready{pipe, POLLIN, 0};
  if (poll(&ready, 1, kBetweenLooks) <= 0) return true;
  std::array<char, 1 << 16> buffer;
  const ssize_t got = read(pipe, buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

}  // namespace

std::string run_in_child(const std::function<std::string()>& work, const std::function<void()>& waiting) {
  Pipe pipe;
  const pid_t pid = fork();
  if (pid < 0) fail(ErrorKind::resources, "cannot start a child process: {}", std::strerror(errno));
  if (pid == 0) answer_and_exit(work, pipe.writer());
  Child child(pid);
  pipe.close_writer();
  std::string answer;
  while (read_on(pipe.reader(), answer)) {
    check_stop();
    waiting();
  }
  if (!child.ended_well() || answer.empty())
    fail(ErrorKind::resources, "a child process was killed; it may have run out of memory");
  if (answer.front() != kDone) throw Error(static_cast<ErrorKind>(answer.front()), answer.substr(1));
  return answer.substr(1);
}

}  // namespace xf
