#include "tools/console/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "data/display_text.h"

namespace xf::tools {
namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr const char* kSeparator = " · ";
constexpr int kBarColumns = 16;

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Field {
  std::string text;
  int rank;  // a narrow terminal drops the highest first
};

std::vector<Field> fields(const Progress& progress) {
  std::vector<Field> fields = {{fmt::format("ep {}", progress.epoch), 1}};
  const std::string last = progress.last_update > 0 ? fmt::format("/{}", grouped(progress.last_update)) : "";
  fields.push_back({fmt::format("up {}{}", grouped(progress.update), last), 0});
  fields.push_back({fmt::format("loss {:.3f}", progress.loss), 0});
  const double perplexity = std::exp(progress.plain_loss);
  fields.push_back(
      {perplexity < 1000 ? fmt::format("ppl {:.1f}", perplexity) : fmt::format("ppl {:.1e}", perplexity), 4});
  fields.push_back({fmt::format("lr {:.1e}", progress.learn_rate), 5});
  fields.push_back({fmt::format("gnorm {:.2f}", progress.gradient_norm), 7});
  fields.push_back({fmt::format("{} tok/s", short_count(progress.tokens_per_second)), 3});
  fields.push_back({clock_time(progress.seconds), 6});
  if (progress.seconds_left >= 0) {
    fields.push_back({fmt::format("eta {}", clock_time(progress.seconds_left)), 2});
  }
  return fields;
}

std::string joined(const std::vector<Field>& fields) {
  std::string line;
  for (const Field& field : fields) line += fmt::format("{}{}", line.empty() ? "" : kSeparator, field.text);
  return line;
}

// Eighths of a cell, so that the bar moves on long runs too.
std::string bar_text(double share) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::clamp(share, 0.0, 1.0) * kBarColumns * 8);
  std::string bar;
  for (int cell = 0; cell < eighths / 8; ++cell) bar += "█";
  bar += kEighths[eighths % 8];
  const int used = (eighths + 7) / 8;
  bar.append(static_cast<size_t>(kBarColumns - used), ' ');
  return bar;
}

}  // namespace

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t end = digits.size(); end > first + 3; end -= 3) digits.insert(end - 3, 1, ',');
  return digits;
}

std::string short_count(double number) {
  if (number < 999.5) return fmt::format("{:.0f}", number);
  const bool thousands = number < 999.5e3;
  const double scaled = number / (thousands ? 1e3 : 1e6);
  return fmt::format("{:.{}f}{}", scaled, scaled < 9.95 ? 1 : 0, thousands ? "k" : "M");
}

std::string clock_time(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(std::max(seconds, 0.0)));
  return fmt::format("{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string counted(int64_t number, const std::string& thing) {
  return fmt::format("{} {}{}", grouped(number), thing, number == 1 ? "" : "s");
}

std::string numbered_lines(std::vector<int64_t> numbers) {
  constexpr size_t kMost = 10;
  std::ranges::sort(numbers);
  const size_t shown = std::min(numbers.size(), kMost);
  std::string text = numbers.size() == 1 ? "line" : "lines";
  for (size_t i = 0; i < shown; ++i) text += fmt::format("{} {}", i == 0 ? "" : ",", numbers[i]);
  if (shown == numbers.size()) return text;
  return text + fmt::format(" and {} more", grouped(static_cast<int64_t>(numbers.size() - shown)));
}

// Two digits or so: more would promise what nobody knows.
std::string rough_time(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::max(seconds, 1.0));
  const auto minutes = static_cast<int64_t>(std::llround(seconds / 60));
  if (minutes < 90) return fmt::format("{} min", minutes);
  if (minutes < 48 * 60) return fmt::format("{} h {} min", minutes / 60, minutes % 60);
  return fmt::format("{:.1f} days", seconds / 86400);
}

std::string progress_line(const Progress& progress) { return joined(fields(progress)); }

std::string progress_bar(const Progress& progress, int columns) {
  std::string bar;
  int used = 0;
  if (progress.last_update > 0 && columns > 4 * kBarColumns) {
    const double share = static_cast<double>(progress.update) / static_cast<double>(progress.last_update);
    bar = fmt::format("{}▏{:3.0f}% ", bar_text(share), 100 * std::clamp(share, 0.0, 1.0));
    used = kBarColumns + 6;
  }
  auto shown = fields(progress);
  while (shown.size() > 1 && used + data::display_width(joined(shown)) >= columns) {
    shown.erase(std::ranges::max_element(shown, {}, &Field::rank));
  }
  return bar + joined(shown);
}

// One column is left free: a terminal begins a new line behind its last one.
void ProgressDisplay::draw(const std::string& bar) {
  write(fmt::format("\r\x1b[K{}", data::fitting(bar, columns() - 1)));
  bar_ = bar;
  is_activity_ = false;
  last_drawn_ = now_seconds();
}

bool ProgressDisplay::may_redraw() const {
  return terminal_.redraws && now_seconds() - last_drawn_ >= kRedrawSeconds;
}

void ProgressDisplay::tick(const Progress& progress) {
  if (may_redraw()) draw(progress_bar(progress, columns()));
}

void ProgressDisplay::tick(const std::string& text) {
  if (may_redraw()) activity(text);
}

void ProgressDisplay::activity(const std::string& text) {
  if (!terminal_.redraws) return;
  draw(data::printable(text));
  is_activity_ = true;
}

void ProgressDisplay::report(const Progress& progress) {
  if (terminal_.redraws) return draw(progress_bar(progress, columns()));
  write(progress_line(progress) + "\n");
}

void ProgressDisplay::message(const std::string& text) {
  const std::string bar = is_activity_ ? "" : bar_;
  clear();
  write(fmt::format("{}\n{}", data::printable_page(text), data::fitting(bar, columns() - 1)));
  bar_ = bar;
}

void ProgressDisplay::clear() {
  if (bar_.empty()) return;
  write("\r\x1b[K");
  bar_.clear();
}

void ProgressDisplay::write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream_);
  std::fflush(stream_);
}

}  // namespace xf::tools
