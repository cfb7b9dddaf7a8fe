// What spaCy cuts from the ends of a word and out of its middle (spacy/lang/punctuation.py,
// spacy/lang/{en,de}/punctuation.py, MIT licence). spaCy writes these rules as regular expressions;
// here each is a small record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/tutorials/spacy/characters.h"

namespace xf::data::spacy {

// Matches at a place: the characters before it, then one character, a text, or dots, then a
// character after it. Empty sets and lists ask for nothing.
struct AffixRule {
  std::vector<CharacterSet> before = {};   // lookbehind, in the order of the text
  CharacterSet one = {};                   // any one character of it,
  std::vector<std::u32string> texts = {};  // or one of these, the first that fits,
  bool dots = false;                       // or two full stops and more
  CharacterSet after = {}, not_after = {};
};

struct Affixes {
  std::vector<AffixRule> prefixes, suffixes, infixes;  // the first rule that fits counts
  size_t longest_suffix = 1;                           // of the texts; dots may be more
};

const Affixes& affixes(SpacyRules rules, SpacyLanguage language);

// Code points of the prefix of `text`, 0 if it has none; of the longest suffix; of an infix at
// `at`.
size_t prefix_length(const Affixes& affixes, std::u32string_view text);
size_t suffix_length(const Affixes& affixes, std::u32string_view text);
size_t infix_length(const Affixes& affixes, std::u32string_view text, size_t at);

}  // namespace xf::data::spacy
