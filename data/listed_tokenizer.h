// Text is cut by a SentencePiece model, and a list says which ids the pieces have (data/sentencepiece_ids.h).
#pragma once

#include <memory>
#include <string>

#include "data/sentencepiece_ids.h"
#include "data/tokenizer.h"

namespace xf::data {

// From the bytes of a model and the list in it. A tag in front of a text (data/language_tags.h) is one token where the list
// has it and the model does not cut it out of text; tags that the list lacks are <unk> where it has others. Error data for an
// entry that stands twice, and for a special token that the list lacks; `name` stands for the file.
std::unique_ptr<Tokenizer> make_listed_tokenizer(const std::string& bytes, PieceList list,
                                                 const std::string& name);

}  // namespace xf::data
