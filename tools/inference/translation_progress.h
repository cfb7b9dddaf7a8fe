// How far a translation is, and what came of it, as lines for the standard error.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tools/inference/translator.h"

namespace xf::tools {

struct TranslationCounts {
  int64_t lines = 0;
  int64_t tokens = 0;   // of the best hypotheses, </s> counted
  int64_t unknown = 0;  // lines that are mostly unknown
  // Numbers, from 1, of the lines whose translation the length limit cut, and of those that were
  // too long to read.
  std::vector<int64_t> cut = {}, cropped = {};
  void add(const Translation& translation, int64_t line);
};

// "2000 lines, 31415 tokens in 65.0 s (483 tokens/s)"
std::string progress_line(const TranslationCounts& counts, double seconds);

// Warnings about what was cut and cropped, which lines of `input`, and about what the model does
// not know.
std::vector<std::string> warnings(const TranslationCounts& counts, const std::string& input);
std::string cropped_warning(const std::vector<int64_t>& lines, const std::string& input);

class TranslationProgress {
 public:
  // `every`: lines; 0: never.
  explicit TranslationProgress(int64_t every) : every_(every) {}

  // The line to show after another translation, of line `number` from 1, if it is time for one.
  std::optional<std::string> add(const Translation& translation, int64_t number);

  const TranslationCounts& counts() const { return counts_; }
  std::string line() const { return progress_line(counts_, seconds()); }

 private:
  double seconds() const;

  int64_t every_;
  TranslationCounts counts_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace xf::tools
