#include "tools/run_log.h"

#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/message.h"

namespace xf::tools {

std::string json_line(const std::string& event, const std::vector<Field>& fields) {
  nlohmann::ordered_json object = {{"v", 1}, {"time", utc_time()}, {"event", event}};
  for (const auto& [key, value] : fields) {
    std::visit([&](const auto& v) { object[key] = v; }, value);  // a NaN becomes null
  }
  return object.dump();
}

LogFile::LogFile(std::string path, int64_t keep_bytes) : path_(std::move(path)) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path_, error);
  if (!error && keep_bytes >= 0 && static_cast<uintmax_t>(keep_bytes) < size) {
    std::filesystem::resize_file(path_, static_cast<uintmax_t>(keep_bytes), error);
  }
  file_ = std::fopen(path_.c_str(), "a");
  const auto now = std::filesystem::file_size(path_, error);
  bytes_ = error ? 0 : static_cast<int64_t>(now);
}

LogFile::~LogFile() {
  if (file_) std::fclose(file_);
}

void LogFile::line(const std::string& text) {
  const bool written = file_ && std::fputs(text.c_str(), file_) >= 0 && std::fputc('\n', file_) != EOF &&
                       std::fflush(file_) == 0;
  if (written) {
    bytes_ += static_cast<int64_t>(text.size()) + 1;
  } else if (!warned_) {
    tell("warning: {} cannot be written; training goes on without it", path_);
    warned_ = true;
  }
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
