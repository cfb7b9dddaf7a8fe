// The words that spaCy's rule-based tokenizer cuts an English or German text into
// (spacy/tokenizer.pyx, MIT licence), by the rules of spaCy 3 and by those of 2.2, which published
// vocabularies were counted with. The tables are beside it.
//
// A text is cut at white space. A single space vanishes; any other white space, a second space too,
// is a word of its own. From each piece prefixes and suffixes are taken until it is an exception
// ("don't" is "do" and "n't") or nothing is left to take; then an address of the web stays whole,
// and anything else is cut at infixes. Version 3 looks for exceptions once more, in the words that
// this has made.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/word_rules.h"

namespace xf::data {

enum class SpacyRules { v2_2, v3 };  // as in 2.2.3; as in 3.8, and in all of 3 on ordinary text
enum class SpacyLanguage { english, german };

// The text of the words, in order, is the text without its single spaces. Thread-safe.
std::vector<std::string> spacy_words(std::string_view text, SpacyRules rules, SpacyLanguage language);

// Of "spacy3 en", "spacy2.2 de lowercase" and so on; nothing for another description. With
// lowercase, words are lower-cased after cutting, as torchtext does.
//
// Joined words have lost where their spaces were. A space goes between two words, except before
// closing punctuation and the second part of a contraction, after what opens, and in English around
// a hyphen.
std::shared_ptr<const WordRules> make_spacy_words(std::string_view description);

// Both versions, among make_word_rules()'s.
void register_spacy_words();

}  // namespace xf::data
