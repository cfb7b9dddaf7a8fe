// Where a word stands in a sentence that is cut into pieces.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace xf::tools::explain {

// The pieces that spell the word or hold it, wherever it stands as a word, whatever its case, in
// order. A word ends at a space and beside what words are not spelt with, as didn't and its didn;
// in scripts without spaces also where a piece ends, and where a dictionary ends one. Pieces are
// SentencePiece's, with a mark for a space; pieces that go on behind @@; or words and characters.
std::vector<size_t> word_rows(const std::vector<std::string>& pieces, const std::string& word);

}  // namespace xf::tools::explain
