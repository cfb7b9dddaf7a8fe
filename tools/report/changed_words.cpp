#include "tools/report/changed_words.h"

#include <algorithm>
#include <sstream>

namespace xf::tools {

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

std::vector<MarkedWord> changed_words(const std::string& before, const std::string& now) {
  const std::vector<std::string> old = words_of(before), words = words_of(now);
  // longest[i][j]: of old from i and words from j.
  std::vector<std::vector<size_t>> longest(old.size() + 1, std::vector<size_t>(words.size() + 1));
  for (size_t i = old.size(); i-- > 0;) {
    for (size_t j = words.size(); j-- > 0;) {
      longest[i][j] =
          old[i] == words[j] ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  std::vector<MarkedWord> marked;
  size_t i = 0;
  for (size_t j = 0; j < words.size(); ++j) {
    while (i < old.size() && old[i] != words[j] && longest[i + 1][j] >= longest[i][j + 1]) ++i;
    const bool common = i < old.size() && old[i] == words[j];
    marked.push_back({words[j], !common});
    i += common;
  }
  return marked;
}

}  // namespace xf::tools
