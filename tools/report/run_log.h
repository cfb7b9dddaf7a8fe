// What a training run writes down: train.log for people, metrics.jsonl for programs.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/descriptor.h"

namespace xf::tools {

// One JSON object: keys in the order given, after "v", "time" and "event".
using Field = std::pair<std::string, std::variant<int64_t, double, bool, std::string>>;
std::string json_line(const std::string& event, const std::vector<Field>& fields);

constexpr int64_t kKeepAll = -1;

// Whose name a log has: of `the_run` it is one of its files (open_part(), core/guarded_open.h);
// `the_user` may name anything, a pipe or a link, say.
enum class NamedBy { the_run, the_user };

// Appends lines to a file. A log that cannot be written never stops training: it says so once, on
// stderr.
class LogFile {
 public:
  // A resumed run cuts the file back to where it was at the checkpoint (`keep_bytes`; or kKeepAll).
  LogFile(std::string path, int64_t keep_bytes, NamedBy named_by = NamedBy::the_run);

  void line(const std::string& text);
  int64_t bytes() const { return bytes_; }

 private:
  bool write(const std::string& text) const;

  std::string path_;
  Descriptor file_;
  bool waits_ = false;   // a pipe
  std::string problem_;  // why it is not open
  int64_t bytes_ = 0;
  bool warned_ = false;
};

// "2026-01-31T12:00:00Z"
std::string utc_time();
// Most memory that this process or one of its children that ended has held, in MB.
double peak_memory_mb();

}  // namespace xf::tools
