// How a word tokenizer cuts text into words and joins words to text.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/registered.h"

namespace xf::data {

// Immutable; thread-safe.
class WordRules {
 public:
  virtual ~WordRules() = default;
  virtual std::vector<std::string> split(std::string_view text) const = 0;
  virtual std::string join(const std::vector<std::string>& words) const = 0;

  // The words with one space between any two, as the tutorials show them; characters make up words
  // first.
  virtual std::string apart(const std::vector<std::string>& words) const = 0;

  // A special's name, <unk>, as a word between words.
  virtual std::string shown(const std::string& special) const { return special; }

  // Whether split() lower-cases what it has cut. The text must then come with its case.
  virtual bool lowercases() const { return false; }

  // What make_word_rules() makes equal rules from.
  virtual std::string description() const = 0;
};

// Null for a description that it does not understand.
using WordRulesFactory = std::function<std::shared_ptr<const WordRules>(std::string_view description)>;
// What libraries above add, by a description's first word: "spacy3" of "spacy3 de lowercase". They
// cut by the language of the text, and what lower-cases is the rules.
Registered<WordRulesFactory>& added_word_rules();

// "whitespace" (words as they stand, apart by spaces or tabs), "icu", "character", or added ones.
// Error usage for anything else.
std::shared_ptr<const WordRules> make_word_rules(const std::string& description);

// ICU's word boundaries (Unicode Standard Annex 29, root locale), with spacing that can be undone.
// Every token that follows a space carries the mark U+2581 in front, the first token of a line too;
// a further space is a token of its own, the bare mark. So joining the tokens, writing marks as
// spaces and dropping the first one gives back the text (unless it contains U+2581 itself, which
// becomes a space, or words outside the vocabulary).
std::vector<std::string> split_words(std::string_view text);
std::string join_words(const std::vector<std::string>& tokens);

// A token for each code point, the mark for a space or a carriage return. So joining and writing
// marks as spaces gives back the text, with the same exceptions.
std::vector<std::string> split_characters(std::string_view text);
std::string join_characters(const std::vector<std::string>& tokens);

}  // namespace xf::data
