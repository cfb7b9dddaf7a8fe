#include "tools/report/run_log.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/file_writer.h"
#include "core/guarded_open.h"
#include "core/stop.h"
#include "tools/console/message.h"

namespace xf::tools {

std::string json_line(const std::string& event, const std::vector<Field>& fields) {
  nlohmann::ordered_json object = {{"v", 1}, {"time", utc_time()}, {"event", event}};
  for (const auto& [key, value] : fields) {
    std::visit([&](const auto& v) { object[key] = v; }, value);  // a NaN becomes null
  }
  return object.dump();
}

namespace {

Descriptor open_log(const std::string& path, NamedBy named_by) {
  constexpr int kAppending = O_WRONLY | O_APPEND;
  if (named_by == NamedBy::the_run) return open_part(path, kAppending);
  const std::string target = link_target(path);
  refuse_planted(path);
  Descriptor file = open_or_stop(target, kAppending | O_CREAT | O_NOCTTY);
  if (!file.is_open()) fail(ErrorKind::resources, "{}: cannot open: {}", path, std::strerror(errno));
  return file;
}

}  // namespace

LogFile::LogFile(std::string path, int64_t keep_bytes, NamedBy named_by) : path_(std::move(path)) {
  try {
    file_ = open_log(path_, named_by);
  } catch (const Error& error) {
    problem_ = error.what();
    return;
  }
  struct stat status = {};
  if (::fstat(file_.number(), &status) == 0 && S_ISREG(status.st_mode)) bytes_ = status.st_size;
  waits_ = S_ISFIFO(status.st_mode);
  if (keep_bytes >= 0 && keep_bytes < bytes_ && ::ftruncate(file_.number(), keep_bytes) == 0)
    bytes_ = keep_bytes;
}

// A stop ends the wait for a pipe's reader who reads no more.
bool LogFile::write(const std::string& text) const {
  pollfd ready = {.fd = file_.number(), .events = POLLOUT, .revents = 0};
  if (!waits_ || ::poll(&ready, 1, 0) == 1) return write_all(file_.number(), text);
  try {
    return write_or_stop(file_.number(), text);
  } catch (const Stopped&) {
    errno = EAGAIN;
    return false;
  }
}

void LogFile::line(const std::string& text) {
  if (file_.is_open() && write(text + "\n")) {
    bytes_ += static_cast<int64_t>(text.size()) + 1;
    return;
  }
  if (std::exchange(warned_, true)) return;
  const std::string why =
      problem_.empty() ? fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)) : problem_;
  tell("warning: {}; training goes on without it", why);
}

std::string utc_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

double peak_memory_mb() {
  rusage own{}, of_children{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &of_children);
  return static_cast<double>(std::max(own.ru_maxrss, of_children.ru_maxrss)) / 1024;
}

}  // namespace xf::tools
