// Which words of a sentence are others than in an earlier version of it.
#pragma once

#include <string>
#include <vector>

namespace xf::tools {

struct MarkedWord {
  std::string word;
  bool changed = false;  // not in the longest common subsequence of the two
};

// The words of `now`, apart by spaces.
std::vector<MarkedWord> changed_words(const std::string& before, const std::string& now);

}  // namespace xf::tools
