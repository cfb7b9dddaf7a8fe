#include "tools/inference/translation_progress.h"

#include <fmt/core.h>

#include "tools/console/progress.h"
#include "tools/setup/task_data.h"

namespace xf::tools {

void TranslationCounts::add(const Translation& translation, int64_t line) {
  ++lines;
  if (translation.cropped) cropped.push_back(line);
  unknown += translation.unknown;
  if (translation.hypotheses.empty()) return;
  const nn::Hypothesis& best = translation.hypotheses.front();
  tokens += std::ssize(best.ids) + (best.cut ? 0 : 1);
  if (best.cut) cut.push_back(line);
}

std::string progress_line(const TranslationCounts& counts, double seconds) {
  const double speed = seconds > 0 ? static_cast<double>(counts.tokens) / seconds : 0;
  return fmt::format("{}, {} in {:.1f} s ({:.0f} tokens/s)", counted(counts.lines, "line"),
                     counted(counts.tokens, "token"), seconds, speed);
}

std::vector<std::string> warnings(const TranslationCounts& counts, const std::string& input) {
  std::vector<std::string> lines;
  if (!counts.cut.empty())
    lines.push_back(fmt::format("{} cut at the length limit ({} of {})",
                                counted(std::ssize(counts.cut), "translation"), numbered_lines(counts.cut),
                                input));
  if (!counts.cropped.empty()) lines.push_back(cropped_warning(counts.cropped, input));
  if (counts.unknown) lines.push_back(unknown_lines_warning(counts.unknown));
  return lines;
}

std::string cropped_warning(const std::vector<int64_t>& lines, const std::string& input) {
  return fmt::format("{} cropped: too long to read ({} of {})", counted(std::ssize(lines), "line"),
                     numbered_lines(lines), input);
}

double TranslationProgress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::optional<std::string> TranslationProgress::add(const Translation& translation, int64_t number) {
  counts_.add(translation, number);
  if (every_ == 0 || counts_.lines % every_ != 0) return std::nullopt;
  return line();
}

}  // namespace xf::tools
