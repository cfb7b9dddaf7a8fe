// In which format another toolkit wrote a list of words or pieces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xf::tools {

enum class ListFormat {
  words,   // one a line
  counts,  // a word and how often it occurs: fairseq's dict.txt, subword-nmt's and OpenNMT-py's
           // vocabularies
  yaml,    // Marian's: ids by word
  json,    // ids by word, or a list
};

// Error data, naming the format and what to do, for those that are no lists of words:
// SentencePiece's .vocab, merges of BPE, Hugging Face's tokenizer.json and byte-level pieces,
// WordPiece, pickles, packed files, and running text.
ListFormat list_format(std::string_view bytes, const std::string& path);

// The words by id; what ends lines, and counts, left out.
std::vector<std::string> words_of(std::string_view bytes, ListFormat format, const std::string& path);

// The same, whatever the format.
std::vector<std::string> listed_words(std::string_view bytes, const std::string& path);

// Error data for pieces of a kind that only the program which learnt them cuts text into.
void refuse_foreign_pieces(const std::vector<std::string>& pieces, const std::string& path);

}  // namespace xf::tools
