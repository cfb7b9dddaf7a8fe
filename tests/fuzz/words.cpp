// A line, cut into words by each set of rules.
#include <map>

#include "data/parallel_corpus.h"
#include "data/text_file.h"
#include "data/unicode.h"
#include "data/word_rules.h"
#include "tests/fuzz/target.h"
#include "tools/tutorials/spacy/spacy_tokenizer.h"

namespace xf::fuzz {

using namespace data;

namespace {

// With one plain space where there are spaces and separators.
std::string single_spaced(std::string_view text) {
  std::string result;
  for (const char c : with_plain_spaces(text)) {
    if (c == ' ' && (result.empty() || result.back() == ' ')) continue;
    result += c;
  }
  return result.ends_with(' ') ? result.substr(0, result.size() - 1) : result;
}

// Whether the words, in order, are the text without some of its spaces.
bool are_all_of(const std::vector<std::string>& words, std::string_view text) {
  for (const std::string& word : words) {
    while (!text.starts_with(word) && text.starts_with(' ')) text.remove_prefix(1);
    if (word.empty() || !text.starts_with(word)) return false;
    text.remove_prefix(word.size());
  }
  return text.find_first_not_of(' ') == std::string_view::npos;
}

std::map<std::string, std::shared_ptr<const WordRules>> all_rules() {
  register_spacy_words();
  std::map<std::string, std::shared_ptr<const WordRules>> rules;
  for (const char* name :
       {"icu", "character", "spacy3 en", "spacy3 de", "spacy2.2 en", "spacy2.2 de lowercase"})
    rules[name] = make_word_rules(name);
  return rules;
}

}  // namespace

void read(std::string_view bytes) {
  static const auto kRules = all_rules();
  check_utf8("text", 1, bytes);
  const std::string text = TextPipeline{}.prepare(bytes);
  promise(!first_invalid_utf8(TextPipeline{.lowercase = true}.prepare(bytes)), "a prepared line is UTF-8");
  for (const auto& [name, rules] : kRules) {
    const std::vector<std::string> words = rules->split(text);
    for (const std::string& word : words) promise(!first_invalid_utf8(word), "a word is UTF-8");
    promise(!first_invalid_utf8(rules->join(words)), "joined words are UTF-8");
    const bool is_spacy = name.starts_with("spacy");
    if (is_spacy && !rules->lowercases())
      promise(are_all_of(words, text), "spaCy's words are the text without its single spaces");
    if (!is_spacy && text.find("\u2581") == std::string::npos)
      promise(single_spaced(rules->join(words)) == single_spaced(text), "joined words are the text");
  }
}

}  // namespace xf::fuzz
