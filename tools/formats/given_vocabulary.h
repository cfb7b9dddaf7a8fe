// Vocabularies that a user brings: ours, SentencePiece models, and lists that other toolkits write.
#pragma once

#include <memory>
#include <string>

#include "data/tokenizer.h"

namespace xf::tools {

// A SentencePiece model; a list of words, one a line; one with counts, as fairseq's dict.txt and
// subword-nmt's vocabularies; Marian's .yml, and JSON with ids by piece or a list of pieces. The
// entries of a list are words as they stand in the text, apart by spaces, unless its first line
// says otherwise ("#words spacy3 de"), or `rules` does, icu or character. Special tokens that a
// list lacks get ids behind the others; those of a list with counts fairseq's, in front. Error data
// for other formats, by their names, and for an entry that no word of a text can be.
std::shared_ptr<const data::Tokenizer> read_given_vocabulary(const std::string& path,
                                                             const std::string& rules = "");

// The same from bytes.
std::shared_ptr<const data::Tokenizer> parse_given_vocabulary(std::string bytes, const std::string& path,
                                                              const std::string& rules = "");

}  // namespace xf::tools
