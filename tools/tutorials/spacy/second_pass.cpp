#include "tools/tutorials/spacy/second_pass.h"

#include <algorithm>

#include "tools/tutorials/spacy/affixes.h"

namespace xf::data::spacy {
namespace {

bool has_affix(const Affixes& affixes, const std::u32string& text) {
  if (prefix_length(affixes, text) > 0 || suffix_length(affixes, text) > 0) return true;
  for (size_t at = 0; at < text.size(); ++at) {
    if (infix_length(affixes, text, at) > 0) return true;
  }
  return false;
}

bool same_texts(const std::vector<Word>& pattern, const std::vector<Word>& words, size_t begin) {
  if (pattern.size() > words.size() - begin) return false;
  return std::equal(pattern.begin(), pattern.end(), words.begin() + static_cast<std::ptrdiff_t>(begin),
                    [](const Word& a, const Word& b) { return a.text == b.text; });
}

}  // namespace

SecondPass::SecondPass(SpacyRules rules, SpacyLanguage language,
                       const std::function<std::vector<Word>(const std::u32string&)>& cut)
    : exceptions_(exceptions(rules, language)) {
  for (const auto& [text, tokens] : exceptions_) {
    if (!has_affix(affixes(rules, language), text)) continue;
    std::vector<Word> pattern = cut(text);
    patterns_[pattern.front().text].push_back(std::move(pattern));
  }
}

// Longest first, of equal length the leftmost; none that begins or ends inside an earlier match,
// taken or not.
std::vector<SecondPass::Span> SecondPass::matches(const std::vector<Word>& words) const {
  std::vector<Span> found;
  for (size_t begin = 0; begin < words.size(); ++begin) {
    const auto patterns = patterns_.find(words[begin].text);
    if (patterns == patterns_.end()) continue;
    for (const std::vector<Word>& pattern : patterns->second) {
      if (same_texts(pattern, words, begin)) found.push_back({begin, begin + pattern.size()});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](Span a, Span b) { return a.end - a.begin > b.end - b.begin; });
  std::vector<bool> seen(words.size());
  std::erase_if(found, [&](Span span) {
    const bool overlaps = seen[span.begin] || seen[span.end - 1];
    std::fill(seen.begin() + static_cast<std::ptrdiff_t>(span.begin),
              seen.begin() + static_cast<std::ptrdiff_t>(span.end), true);
    return overlaps;
  });
  std::sort(found.begin(), found.end(), [](Span a, Span b) { return a.begin < b.begin; });
  return found;
}

std::vector<Word> SecondPass::apply(std::vector<Word> words) const {
  const std::vector<Span> spans = matches(words);
  if (spans.empty()) return words;
  std::vector<Word> result;
  size_t at = 0;
  for (const Span span : spans) {
    std::u32string text;  // with its spaces: ": )" is no smiley
    for (size_t i = span.begin; i < span.end; ++i) {
      text += words[i].text;
      if (words[i].space_after && i + 1 < span.end) text += U' ';
    }
    const auto exception = exceptions_.find(text);
    if (exception == exceptions_.end()) continue;
    result.insert(result.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                  words.begin() + static_cast<std::ptrdiff_t>(span.begin));
    for (const std::u32string& token : exception->second) result.push_back({token, false});
    result.back().space_after = words[span.end - 1].space_after;
    at = span.end;
  }
  result.insert(result.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return result;
}

}  // namespace xf::data::spacy
