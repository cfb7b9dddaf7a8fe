// SentencePiece models that know more pieces.
#pragma once

#include <string>
#include <vector>

namespace xf::data {

// The model, with these pieces behind its own: user-defined ones, which are never cut apart, and
// which are found in text before all else, inside words too. A space in a piece, or U+2581, is the
// one before a word, so that "▁word" is found at a word's beginning alone. `name` stands for the
// model's file in messages. Error data for bytes that are no SentencePiece model, and usage for a
// piece that it has already.
std::string sentencepiece_with_pieces(const std::string& model, const std::vector<std::string>& pieces,
                                      const std::string& name);

}  // namespace xf::data
