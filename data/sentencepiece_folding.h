// SentencePiece models that do to a text what xformer does before it is cut.
#pragma once

#include <string>

namespace xf::data {

// Whether text is cut as it stands: no normalisation of the model's own.
bool sentencepiece_keeps_text(const std::string& model);

// The model, which keeps text, with a normalisation that lower-cases and brings to form C. The
// library's rules see no context: a capital sigma becomes σ at the end of a word, too, and signs in
// another order than form C's stay in it. `name` stands for the model's file in messages. Error
// data for bytes that are no SentencePiece model.
std::string sentencepiece_folding_case(const std::string& model, const std::string& name);

}  // namespace xf::data
