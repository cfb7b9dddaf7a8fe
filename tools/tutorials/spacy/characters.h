// The classes of characters that spaCy's affix rules are made of (spacy/lang/char_classes.py, MIT
// licence). Where one of its lists of code points equals a Unicode property within a range, the
// property stands here.
#pragma once

#include <unicode/uniset.h>

#include "tools/tutorials/spacy/spacy_tokenizer.h"

namespace xf::data::spacy {

using CharacterSet = icu::UnicodeSet;

struct Characters {
  CharacterSet alpha, lower, upper;  // letters without case are in all three
  CharacterSet punctuation, quotes, currency, icons;
  CharacterSet digits;  // ASCII
};

// Sets are frozen: quick, and safe to read from several threads.
const Characters& characters(SpacyRules rules);

// A set from ICU's pattern. Error failure for a pattern that ICU does not know.
CharacterSet character_set(const char* pattern);

}  // namespace xf::data::spacy
