// spaCy's tokenizer exceptions: words that are left whole, or cut in a way that no affix rule knows
// ("don't" is "do" and "n't"). From spacy/lang/tokenizer_exceptions.py and
// spacy/lang/{en,de}/tokenizer_exceptions.py (MIT licence). What is regular is generated, the rest
// is a list.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/tutorials/spacy/spacy_tokenizer.h"

namespace xf::data::spacy {

// A word and its tokens, which joined are the word.
using Exceptions = std::unordered_map<std::u32string, std::vector<std::u32string>>;
// Of code points. What is longer need not be looked up.
inline constexpr size_t kLongestException = 12;

const Exceptions& exceptions(SpacyRules rules, SpacyLanguage language);

// The steps of it. Words are UTF-8.
void add_split(Exceptions& table, std::initializer_list<std::string_view> tokens);
void add_whole(Exceptions& table, std::string_view words_apart_by_spaces);
void add_shared(Exceptions& table, SpacyRules rules);  // of every language: letters with a full
                                                       // stop, smileys
void add_english(Exceptions& table, SpacyRules rules);
void add_german(Exceptions& table, SpacyRules rules);

}  // namespace xf::data::spacy
