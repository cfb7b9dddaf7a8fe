#include "tools/translation_progress.h"

#include <fmt/core.h>

#include "tools/progress.h"

namespace xf::tools {

void TranslationCounts::add(const Translation& translation) {
  ++lines;
  cropped += translation.cropped;
  if (translation.hypotheses.empty()) return;
  const nn::Hypothesis& best = translation.hypotheses.front();
  tokens += static_cast<int64_t>(best.token_log_probabilities.size());
  cut += best.cut;
}

std::string progress_line(const TranslationCounts& counts, double seconds) {
  return fmt::format("{}, {} in {:.1f} s ({:.0f} tokens/s)", counted(counts.lines, "line"),
                     counted(counts.tokens, "token"), seconds, static_cast<double>(counts.tokens) / seconds);
}

std::vector<std::string> warnings(const TranslationCounts& counts) {
  std::vector<std::string> lines;
  if (counts.cut)
    lines.push_back(fmt::format("{} cut at the length limit", counted(counts.cut, "translation")));
  if (counts.cropped)
    lines.push_back(fmt::format("{} cropped: too long to read", counted(counts.cropped, "line")));
  return lines;
}

double TranslationProgress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::optional<std::string> TranslationProgress::add(const Translation& translation) {
  counts_.add(translation);
  if (every_ == 0 || counts_.lines % every_ != 0) return std::nullopt;
  return line();
}

}  // namespace xf::tools
