#include "tools/inference/alignment_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "tools/config/option.h"

namespace xf::tools {

AlignmentForm::AlignmentForm(const std::string& word) : soft_(word == "soft") {
  if (soft_ || word == "hard") return;
  const auto threshold = parse_number(word);
  if (!threshold || !(*threshold > 0 && *threshold <= 1))
    fail(ErrorKind::usage, "--alignment: '{}' is neither hard nor soft nor a weight above 0, up to 1", word);
  threshold_ = *threshold;
}

std::string AlignmentForm::text(const nn::Alignment& alignment) const {
  return soft_ ? soft(alignment) : pairs(alignment);
}

std::string AlignmentForm::soft(const nn::Alignment& alignment) const {
  std::string text;
  for (size_t t = 0; t < alignment.targets; ++t) {
    for (size_t s = 0; s < alignment.sources; ++s)
      text += fmt::format("{}{:.6g}", s > 0 ? "," : t > 0 ? " " : "", alignment.at(t, s));
  }
  return text;
}

std::string AlignmentForm::pairs(const nn::Alignment& alignment) const {
  std::vector<std::string> pairs;
  std::vector<size_t> strongest;  // source token of each target token
  for (size_t t = 0; t < alignment.targets; ++t) {
    const auto row = alignment.weights.begin() + static_cast<std::ptrdiff_t>(t * alignment.sources);
    strongest.push_back(static_cast<size_t>(
        std::max_element(row, row + static_cast<std::ptrdiff_t>(alignment.sources)) - row));
  }
  for (size_t s = 0; s < alignment.sources; ++s) {
    for (size_t t = 0; t < alignment.targets; ++t) {
      if (threshold_ == 1 ? strongest[t] == s : alignment.at(t, s) >= threshold_)
        pairs.push_back(fmt::format("{}-{}", s, t));
    }
  }
  return fmt::format("{}", fmt::join(pairs, " "));
}

}  // namespace xf::tools
