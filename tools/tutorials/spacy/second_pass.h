// spaCy 3 looks for exceptions a second time, in the words that cutting has made: one that was cut
// apart, because something stood before or behind it, is put together again
// (Tokenizer._apply_special_cases in spacy/tokenizer.pyx, MIT licence).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/tutorials/spacy/exceptions.h"

namespace xf::data::spacy {

struct Word {
  std::u32string text;
  bool space_after = false;
};

class SecondPass {
 public:
  // `cut` gives the words that a text is without exceptions.
  SecondPass(SpacyRules rules, SpacyLanguage language,
             const std::function<std::vector<Word>(const std::u32string&)>& cut);

  std::vector<Word> apply(std::vector<Word> words) const;

 private:
  struct Span {
    size_t begin, end;  // words
  };
  std::vector<Span> matches(const std::vector<Word>& words) const;

  const Exceptions& exceptions_;
  // By the first word: the words that exceptions with affixes are cut into.
  std::unordered_map<std::u32string, std::vector<std::vector<Word>>> patterns_;
};

}  // namespace xf::data::spacy
