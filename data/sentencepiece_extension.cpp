#include "data/sentencepiece_extension.h"

#include <set>

#include "core/error.h"
#include "data/protobuf_fields.h"
#include "data/sentencepiece_ids.h"
#include "data/sentencepiece_tokenizer.h"

namespace xf::data {

namespace {

// Numbers of fields and a kind of piece in SentencePiece's sentencepiece_model.proto.
constexpr uint64_t kPiece = 1, kText = 1, kKind = 3, kUserDefined = 4;

std::set<std::string> pieces_of(std::string_view model) {
  std::set<std::string> pieces;
  for (ProtobufFields fields(model); fields.next();) {
    if (fields.number != kPiece) continue;
    for (ProtobufFields piece(fields.bytes); piece.next();) {
      if (piece.number == kText) pieces.emplace(piece.bytes);
    }
  }
  return pieces;
}

}  // namespace

std::string sentencepiece_with_pieces(const std::string& model, const std::vector<std::string>& pieces,
                                      const std::string& name) {
  const auto tokenizer = make_sentencepiece_tokenizer(model, name);
  const bool has_list = list_of(model).has_value();
  const std::set<std::string> cut = pieces_of(model);
  std::set<std::string> known;
  for (int32_t id = 0; id < tokenizer->size(); ++id) known.insert(tokenizer->piece(id));
  // A field that repeats may stand anywhere, and counts in the order in which it stands.
  std::string result = model;
  for (const std::string& piece : pieces) {
    if (!known.insert(piece).second)
      fail(ErrorKind::usage, "{}: has the piece '{}' already; leave it out", name, piece);
    if (has_list) result = with_listed_piece(std::move(result), piece);
    if (cut.contains(piece)) continue;
    std::string message;
    append_bytes(message, kText, piece);
    append_integer(message, kKind, kUserDefined);
    append_bytes(result, kPiece, message);
  }
  make_sentencepiece_tokenizer(result, name);  // the library takes it
  return result;
}

}  // namespace xf::data
