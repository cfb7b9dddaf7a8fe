// A vocabulary of words, and text to ids by it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/tokenizer.h"
#include "data/word_rules.h"

namespace xf::data {

// The names of the four special tokens, and (in `order`) which ids they get, from 0.
struct WordSpecials {
  std::string unk = "<unk>", pad = "<pad>", bos = "<sos>", eos = "<eos>";
  std::vector<std::string> order = {"<unk>", "<pad>", "<sos>", "<eos>"};
};

struct WordVocabularyOptions {
  int64_t min_frequency = 2;  // rarer words become <unk>
  int32_t max_size = 0;       // at most so many entries, specials included; 0: no limit
  WordSpecials specials;
  std::shared_ptr<const WordRules> rules = make_word_rules("icu");
};

struct WordCounts {
  std::unordered_map<std::string, int64_t> times;  // by word
  int64_t total = 0;
};
WordCounts count_words(const std::vector<const std::vector<std::string>*>& texts, const WordRules& rules);

// By descending frequency, ties in order of their code points, without those in `except`.
std::vector<std::string> frequent_words(const WordCounts& counts, int64_t min_frequency,
                                        const std::vector<std::string>& except);

// Specials first, then words by descending frequency, ties in order of their code points. Error
// usage if the order does not hold exactly the four names.
std::unique_ptr<Tokenizer> build_word_tokenizer(const WordCounts& counts,
                                                const WordVocabularyOptions& options);
std::unique_ptr<Tokenizer> build_word_tokenizer(const std::vector<const std::vector<std::string>*>& texts,
                                                const WordVocabularyOptions& options);

// From the bytes of a word list, one token per line, id = line; a line in front, "#words " and the
// description of WordRules, says how text is cut, otherwise ICU does; a second one, "#specials" and
// four names, a tab before each, names unk, pad, bos and eos. A special is the entry with the given
// name, or else one of the usual names (<s> <sos> <bos> </s> <eos> <pad> <blank> ...). Error data
// for a token that occurs twice, an empty line, invalid UTF-8, or a list without an unknown token.
// Words that are not in normalisation form C are found by theirs, the first of several, and decoded
// to it.
std::unique_ptr<Tokenizer> make_word_tokenizer(const std::string& bytes, const std::string& name,
                                               const WordSpecials& specials = {});

}  // namespace xf::data
