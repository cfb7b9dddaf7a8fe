// How far a program is through the lines of a file: redrawn in place on the standard error while it
// works, where that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tools/console/progress.h"

namespace xf::tools {

class LineProgress {
 public:
  explicit LineProgress(bool shown);

  // How many lines there will be, once that is known.
  void expect(int64_t lines) { total_ = lines; }
  // As many as `input` has, where it is a file, which is read for it.
  void expect_lines_of(const std::string& input);
  // Lines that an earlier run of the program did.
  void skip(int64_t lines) { skipped_ = lines; }
  void add(int64_t lines = 1);
  // A line that stays, shown or not.
  void message(const std::string& text) { display_.message(text); }
  // Before anything else writes to the terminal.
  void clear() { display_.clear(); }

 private:
  std::string text() const;

  bool shown_;
  ProgressDisplay display_;
  int64_t done_ = 0, skipped_ = 0, total_ = 0;  // 0: not known
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace xf::tools
