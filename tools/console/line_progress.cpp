#include "tools/console/line_progress.h"

#include <fmt/core.h>

#include <filesystem>

#include "data/text_file.h"

namespace xf::tools {

namespace {

Terminal terminal_of(bool shown) {
  Terminal terminal = detect_terminal(stderr);
  terminal.redraws = terminal.redraws && shown;
  return terminal;
}

}  // namespace

LineProgress::LineProgress(bool shown)
    : shown_(terminal_of(shown).redraws), display_(stderr, terminal_of(shown)) {}

void LineProgress::expect_lines_of(const std::string& input) {
  std::error_code none;
  if (!shown_ || !std::filesystem::is_regular_file(input, none)) return;  // a pipe is read once
  data::LineReader reader(input);
  for (std::string line; reader.next(line);) ++total_;
}

void LineProgress::add(int64_t lines) {
  done_ += lines;
  display_.tick(text());
}

std::string LineProgress::text() const {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double speed = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  const int64_t at = skipped_ + done_;
  std::string text = grouped(at);
  if (total_ > 0) text += "/" + grouped(total_);
  text += fmt::format(" lines · {} lines/s · {}", short_count(speed), clock_time(seconds));
  if (total_ > at && speed > 0)
    text += fmt::format(" · eta {}", clock_time(static_cast<double>(total_ - at) / speed));
  return text;
}

}  // namespace xf::tools
