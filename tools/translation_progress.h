// How far a translation is, and what came of it, as lines for the standard error.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tools/translator.h"

namespace xf::tools {

struct TranslationCounts {
  int64_t lines = 0;
  int64_t tokens = 0;   // of the best hypotheses, </s> counted
  int64_t cut = 0;      // by the length limit
  int64_t cropped = 0;  // lines that were too long to read
  void add(const Translation& translation);
};

// "2000 lines, 31415 tokens in 65.0 s (483 tokens/s)"
std::string progress_line(const TranslationCounts& counts, double seconds);

// Warnings about what was cut and cropped.
std::vector<std::string> warnings(const TranslationCounts& counts);

class TranslationProgress {
 public:
  // `every`: lines; 0: never.
  explicit TranslationProgress(int64_t every) : every_(every) {}

  // The line to show after another translation, if it is time for one.
  std::optional<std::string> add(const Translation& translation);

  const TranslationCounts& counts() const { return counts_; }
  std::string line() const { return progress_line(counts_, seconds()); }

 private:
  double seconds() const;

  int64_t every_;
  TranslationCounts counts_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace xf::tools
