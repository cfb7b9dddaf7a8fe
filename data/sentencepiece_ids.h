// SentencePiece models whose pieces have other ids: MarianMT, Marian and others cut text with the
// model of a side, and then look the pieces up in a list, which is often one for both sides. What
// the model does not know it leaves as it stands, and the list may have it: so a list cannot be
// written as the pieces of a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xf::data {

// The special tokens, by their pieces; "" for none. Two may be the same piece.
struct SpecialPieces {
  std::string unk = "<unk>", bos = "<s>", eos = "</s>", pad = "<pad>";
};

struct PieceList {
  std::vector<std::string> pieces;  // by id
  SpecialPieces specials;
};

// The model with the list in it, in fields that SentencePiece itself passes over; without one if
// the pieces and ids of the model are the list's already. `name` stands for the model's file in
// messages. Error data for bytes that are no SentencePiece model, for an entry that stands twice,
// and for a special token that the list lacks.
std::string sentencepiece_with_ids(const std::string& model, const PieceList& list, const std::string& name);

// How many ordinary pieces of the model the list lacks: text with them has <unk>.
int64_t pieces_without_id(std::string_view model, const PieceList& list);

// The list that lies in the model, and the model with one more piece at its end.
std::optional<PieceList> list_of(std::string_view model);
std::string with_listed_piece(std::string model, std::string_view piece);

// The model, with the tags (data/language_tags.h) as pieces that SentencePiece itself cuts out of
// text: for programs that read no list. It puts U+2581 before a tag, as before a word. The model
// without them is the one to cut text with here; a damaged one stays as it is.
std::string with_cut_tags(const std::string& model, const std::vector<std::string>& tags);
std::string without_cut_tags(std::string_view model);

}  // namespace xf::data
