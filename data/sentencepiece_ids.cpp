#include "data/sentencepiece_ids.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string_view>

#include "core/error.h"
#include "data/protobuf_fields.h"
#include "data/sentencepiece_damage.h"
#include "data/sentencepiece_tokenizer.h"

namespace xf::data {

namespace {

// Numbers of fields and kinds of piece in SentencePiece's sentencepiece_model.proto.
constexpr uint64_t kPiece = 1, kTrainer = 2;          // of a model
constexpr uint64_t kText = 1, kScore = 2, kKind = 3;  // of a piece
constexpr uint64_t kFirstName = 45, kLastName = 48;   // of the training's settings: unk, bos, eos, pad
constexpr uint64_t kNormal = 1, kUnknown = 2, kControl = 3, kUnused = 5;

constexpr float kLowest = -1e9f;  // the score of a piece that nothing is to be merged to

struct Piece {
  std::string_view raw;  // the message
  uint64_t kind = kNormal;
};

using KnownPieces = std::map<std::string, Piece, std::less<>>;

KnownPieces pieces_of(const std::string& model) {
  KnownPieces pieces;
  for (ProtobufFields fields(model); fields.next();) {
    if (fields.number != kPiece) continue;
    Piece piece{fields.bytes};
    std::string text;
    for (ProtobufFields of_piece(fields.bytes); of_piece.next();) {
      if (of_piece.number == kText) text = of_piece.bytes;
      if (of_piece.number == kKind) piece.kind = of_piece.value;
    }
    pieces.emplace(text, piece);
  }
  return pieces;
}

std::string made_piece(const std::string& text, uint64_t kind) {
  std::string message;
  append_bytes(message, kText, text);
  append_varint(message, kScore << 3 | 5);
  message.append(reinterpret_cast<const char*>(&kLowest), sizeof kLowest);
  append_integer(message, kKind, kind);
  return message;
}

// The settings, with other names of the special tokens.
std::string renamed(std::string_view trainer, const SpecialPieces& specials) {
  std::string message;
  for (ProtobufFields fields(trainer); fields.next();) {
    if (fields.number < kFirstName || fields.number > kLastName) message += fields.raw;
  }
  uint64_t number = kFirstName;
  for (const std::string* special : {&specials.unk, &specials.bos, &specials.eos, &specials.pad})
    append_bytes(message, number++, *special);
  return message;
}

bool is_as_listed(const Tokenizer& tokenizer, const std::vector<std::string>& pieces,
                  const SpecialPieces& specials) {
  if (tokenizer.size() != static_cast<int64_t>(pieces.size())) return false;
  const auto is_named = [&](int32_t id, const std::string& name) {
    return id < 0 ? name.empty() : tokenizer.piece(id) == name;
  };
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    if (tokenizer.piece(id) != pieces[static_cast<size_t>(id)]) return false;
  }
  return is_named(tokenizer.unk_id(), specials.unk) && is_named(tokenizer.bos_id(), specials.bos) &&
         is_named(tokenizer.eos_id(), specials.eos) && is_named(tokenizer.pad_id(), specials.pad);
}

void check_specials(const std::vector<std::string>& pieces, const SpecialPieces& specials,
                    const std::string& name) {
  for (const std::string& special : {specials.unk, specials.bos, specials.eos, specials.pad}) {
    if (!special.empty() && std::ranges::find(pieces, special) == pieces.end())
      fail(ErrorKind::data, "{}: the list of pieces that belongs to it has no {}", name, special);
  }
}

bool is_ordinary(const Piece& piece) { return piece.kind != kUnknown && piece.kind != kControl; }

// The pieces of the list, as messages of a model.
std::string listed(const std::vector<std::string>& pieces, const KnownPieces& known,
                   const SpecialPieces& specials, MissingPieces missing) {
  std::string bytes;
  for (const std::string& piece : pieces) {
    const auto found = known.find(piece);
    std::string message;
    if (piece == specials.unk) {
      message = made_piece(piece, kUnknown);
    } else if (piece == specials.bos || piece == specials.eos || piece == specials.pad) {
      message = made_piece(piece, kControl);
    } else if (found != known.end() && found->second.kind != kUnknown) {
      message = found->second.raw;
    } else {
      message = made_piece(piece, missing == MissingPieces::silent ? kControl : kUnused);
    }
    append_bytes(bytes, kPiece, message);
  }
  return bytes;
}

// The model's fields behind its pieces: settings, under the list's names of the special tokens, and normalisation.
std::string rest_of(const std::string& model, const SpecialPieces& specials) {
  std::string bytes, trainer;
  for (ProtobufFields fields(model); fields.next();) {
    if (fields.number == kTrainer) trainer = fields.bytes;
    if (fields.number != kPiece && fields.number != kTrainer) bytes += fields.raw;
  }
  append_bytes(bytes, kTrainer, renamed(trainer, specials));
  return bytes;
}

}  // namespace

ModelWithIds sentencepiece_with_ids(const std::string& model, const std::vector<std::string>& pieces,
                                    const SpecialPieces& specials, MissingPieces missing,
                                    const std::string& name) {
  const std::unique_ptr<Tokenizer> tokenizer = make_sentencepiece_tokenizer(model, name);
  if (is_as_listed(*tokenizer, pieces, specials)) return {model};
  check_specials(pieces, specials, name);
  const KnownPieces known = pieces_of(model);
  ModelWithIds result{listed(pieces, known, specials, missing) + rest_of(model, specials)};
  const std::set<std::string_view> names(pieces.begin(), pieces.end());
  result.left_out = std::ranges::count_if(
      known, [&](const auto& entry) { return is_ordinary(entry.second) && !names.contains(entry.first); });
  make_sentencepiece_tokenizer(result.bytes, name);  // the library takes it
  return result;
}

}  // namespace xf::data
