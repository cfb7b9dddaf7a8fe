// What a training run writes down: train.log for people, metrics.jsonl for programs.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace xf::tools {

// One JSON object: keys in the order given, after "v", "time" and "event".
using Field = std::pair<std::string, std::variant<int64_t, double, bool, std::string>>;
std::string json_line(const std::string& event, const std::vector<Field>& fields);

constexpr int64_t kKeepAll = -1;

// Appends lines to a file. A log that cannot be written never stops training: it says so once, on stderr.
class LogFile {
 public:
  // A resumed run cuts the file back to where it was at the checkpoint (`keep_bytes`; or kKeepAll).
  LogFile(std::string path, int64_t keep_bytes);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  void line(const std::string& text);
  int64_t bytes() const { return bytes_; }

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
  int64_t bytes_ = 0;
  bool warned_ = false;
};

// "2026-01-31T12:00:00Z"
std::string utc_time();
// Most memory that this process or one of its children that ended has held, in MB.
double peak_memory_mb();

}  // namespace xf::tools
