// SentencePiece models whose pieces have other ids: toolkits that cut text with SentencePiece and then look the pieces up in
// a list of their own have their text cut so by an ordinary model.
#pragma once

#include <string>
#include <vector>

namespace xf::data {

// The special tokens, by their pieces; "" for none. Two may be the same piece.
struct SpecialPieces {
  std::string unk = "<unk>", bos = "<s>", eos = "</s>", pad = "<pad>";
};

// What becomes of pieces of the list that the model lacks: never cut out of text and decoded to nothing, or decoded to
// their text.
enum class MissingPieces { silent, decoded };

struct ModelWithIds {
  std::string bytes;  // the given ones where pieces and ids are the list's already
  int64_t left_out =
      0;  // ordinary pieces of the model that the list lacks: text that had them is cut otherwise now
};

// The model, with the list's pieces in its order. `name` stands for the model's file in messages. Error data for bytes
// that are no SentencePiece model, and for a special token that the list lacks.
ModelWithIds sentencepiece_with_ids(const std::string& model, const std::vector<std::string>& pieces,
                                    const SpecialPieces& specials, MissingPieces missing,
                                    const std::string& name);

}  // namespace xf::data
