// Words by ICU's word boundaries (Unicode Standard Annex 29, root locale), with spacing that can be undone.
// Every token that follows a space carries the mark U+2581 in front, the first token of a line too; a further
// space is a token of its own, the bare mark. So joining the tokens, writing marks as spaces and dropping the
// first one gives back the text (unless it contains U+2581 itself, which becomes a space, or words outside
// the vocabulary).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizer.h"

namespace xf::data {

std::vector<std::string> split_words(std::string_view text);
std::string join_words(const std::vector<std::string>& tokens);

// The names of the four special tokens, and (in `order`) which ids they get, from 0.
struct WordSpecials {
  std::string unk = "<unk>", pad = "<pad>", bos = "<sos>", eos = "<eos>";
  std::vector<std::string> order = {"<unk>", "<pad>", "<sos>", "<eos>"};
};

struct WordVocabularyOptions {
  int64_t min_frequency = 2;  // rarer words become <unk>
  int32_t max_size = 0;       // at most so many entries, specials included; 0: no limit
  WordSpecials specials;
};

// Specials first, then words by descending frequency, ties in order of their code points. Error usage if the
// order does not hold exactly the four names.
std::unique_ptr<Tokenizer> build_word_tokenizer(const std::vector<const std::vector<std::string>*>& texts,
                                                const WordVocabularyOptions& options);

// From the bytes of a word list, one token per line, id = line. A special is the entry with the given name,
// or else one of the usual names (<s> <sos> <bos> </s> <eos> <pad> <blank> ...). Error data for a token that
// occurs twice, an empty line, invalid UTF-8, or a list without an unknown token.
std::unique_ptr<Tokenizer> make_word_tokenizer(const std::string& bytes, const std::string& name,
                                               const WordSpecials& specials = {});

}  // namespace xf::data
