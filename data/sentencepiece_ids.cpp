#include "data/sentencepiece_ids.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "data/language_tags.h"
#include "data/protobuf_fields.h"
#include "data/sentencepiece_tokenizer.h"

namespace xf::data {

namespace {

// Numbers of fields and kinds of piece in SentencePiece's sentencepiece_model.proto, which leaves
// fields of 200 and more to others: each piece of a list is a field of ours, and its special tokens
// are four. A piece that is a tag has one, too.
constexpr uint64_t kPiece = 1;                            // of a model
constexpr uint64_t kText = 1, kKind = 3, kIsTag = 30824;  // of a piece
constexpr uint64_t kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4;
constexpr uint64_t kListedPiece = 30822, kListedSpecial = 30823;

struct ModelPiece {
  std::string_view text;
  uint64_t kind = kNormal;
  bool is_tag = false;
};

ModelPiece parse_piece(std::string_view message) {
  ModelPiece piece;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.number == kText) piece.text = fields.bytes;
    if (fields.number == kKind) piece.kind = fields.value;
    if (fields.number == kIsTag) piece.is_tag = true;
  }
  return piece;
}

bool contains(const std::vector<int32_t>& ids, int32_t id) { return std::ranges::find(ids, id) != ids.end(); }

bool is_as_listed(const Tokenizer& tokenizer, const PieceList& list) {
  if (tokenizer.size() != std::ssize(list.pieces)) return false;
  const auto is_named = [&](int32_t id, const std::string& name) {
    return id < 0 ? name.empty() : tokenizer.piece(id) == name;
  };
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    const std::string& piece = list.pieces[static_cast<size_t>(id)];
    if (tokenizer.piece(id) != piece) return false;
    const bool is_tag = looks_like_tag(piece) && id != tokenizer.unk_id() && id != tokenizer.bos_id() &&
                        id != tokenizer.eos_id() && id != tokenizer.pad_id();
    if (is_tag && !contains(tokenizer.encode(piece), id)) return false;
  }
  const SpecialPieces& specials = list.specials;
  return is_named(tokenizer.unk_id(), specials.unk) && is_named(tokenizer.bos_id(), specials.bos) &&
         is_named(tokenizer.eos_id(), specials.eos) && is_named(tokenizer.pad_id(), specials.pad);
}

std::string without_list(std::string_view model) {
  std::string bytes;
  for (ProtobufFields fields(model); fields.next();) {
    if (fields.number != kListedPiece && fields.number != kListedSpecial) bytes += fields.raw;
  }
  return bytes;
}

}  // namespace

std::string sentencepiece_with_ids(const std::string& model, const PieceList& list, const std::string& name) {
  make_sentencepiece_tokenizer(model, name);  // the library takes it
  std::string bytes = without_cut_tags(without_list(model));
  if (is_as_listed(*make_sentencepiece_tokenizer(bytes, name), list)) return bytes;
  for (const std::string& piece : list.pieces) append_bytes(bytes, kListedPiece, piece);
  const SpecialPieces& specials = list.specials;
  for (const std::string* special : {&specials.unk, &specials.bos, &specials.eos, &specials.pad})
    append_bytes(bytes, kListedSpecial, *special);
  make_sentencepiece_tokenizer(bytes, name);  // the list has what it must have
  return bytes;
}

int64_t pieces_without_id(std::string_view model, const PieceList& list) {
  const std::set<std::string_view> names(list.pieces.begin(), list.pieces.end());
  int64_t count = 0;
  for (ProtobufFields fields(model); fields.next();) {
    if (fields.number != kPiece) continue;
    const ModelPiece piece = parse_piece(fields.bytes);
    if (piece.kind != kUnknown && piece.kind != kControl && !names.contains(piece.text)) ++count;
  }
  return count;
}

std::optional<PieceList> list_of(std::string_view model) {
  PieceList list;
  std::vector<std::string> specials;
  for (ProtobufFields fields(model); fields.next();) {
    if (fields.number == kListedPiece) list.pieces.emplace_back(fields.bytes);
    if (fields.number == kListedSpecial) specials.emplace_back(fields.bytes);
  }
  if (list.pieces.empty()) return std::nullopt;
  specials.resize(4);
  list.specials = {.unk = specials[0], .bos = specials[1], .eos = specials[2], .pad = specials[3]};
  return list;
}

std::string with_listed_piece(std::string model, std::string_view piece) {
  append_bytes(model, kListedPiece, piece);
  return model;
}

std::string with_cut_tags(const std::string& model, const std::vector<std::string>& tags) {
  std::set<std::string_view> known;
  for (ProtobufFields fields(model); fields.next();) {
    if (fields.number == kPiece) known.insert(parse_piece(fields.bytes).text);
  }
  std::string result = model;
  for (const std::string& tag : tags) {
    if (known.contains(tag)) continue;
    std::string message;
    append_bytes(message, kText, tag);
    append_integer(message, kKind, kUserDefined);
    append_integer(message, kIsTag, 1);
    append_bytes(result, kPiece, message);
  }
  return result;
}

std::string without_cut_tags(std::string_view model) {
  std::string bytes;
  ProtobufFields fields(model);
  while (fields.next()) {
    if (fields.number != kPiece || !parse_piece(fields.bytes).is_tag) bytes += fields.raw;
  }
  return fields.all_read() ? bytes : std::string(model);
}

}  // namespace xf::data
