#include "data/sentencepiece_ids.h"

#include <algorithm>
#include <cstring>
#include <map>
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

std::map<std::string, Piece, std::less<>> pieces_of(const std::string& model) {
  std::map<std::string, Piece, std::less<>> pieces;
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

}  // namespace

ModelWithIds sentencepiece_with_ids(const std::string& model, const std::vector<std::string>& pieces,
                                    const SpecialPieces& specials, MissingPieces missing,
                                    const std::string& name) {
  const std::unique_ptr<Tokenizer> tokenizer = make_sentencepiece_tokenizer(model, name);
  if (is_as_listed(*tokenizer, pieces, specials)) return {model};
  for (const std::string& special : {specials.unk, specials.bos, specials.eos, specials.pad}) {
    if (!special.empty() && std::ranges::find(pieces, special) == pieces.end())
      fail(ErrorKind::data, "{}: the list of pieces that belongs to it has no {}", name, special);
  }
  const auto known = pieces_of(model);
  ModelWithIds result;
  size_t taken = 0;
  for (const std::string& piece : pieces) {
    const auto found = known.find(piece);
    std::string message;
    if (piece == specials.unk) {
      message = made_piece(piece, kUnknown);
    } else if (piece == specials.bos || piece == specials.eos || piece == specials.pad) {
      message = made_piece(piece, kControl);
    } else if (found != known.end() && found->second.kind != kUnknown) {
      message = found->second.raw;
      taken += found->second.kind == kControl ? 0 : 1;
    } else {
      message = made_piece(piece, missing == MissingPieces::silent ? kControl : kUnused);
    }
    append_bytes(result.bytes, kPiece, message);
  }
  bool has_trainer = false;
  for (ProtobufFields fields(model); fields.next();) {
    if (fields.number == kPiece) continue;
    if (fields.number != kTrainer) {
      result.bytes += fields.raw;
    } else if (!std::exchange(has_trainer, true)) {
      append_bytes(result.bytes, kTrainer, renamed(fields.bytes, specials));
    }
  }
  if (!has_trainer) append_bytes(result.bytes, kTrainer, renamed("", specials));
  const auto ordinary = std::ranges::count_if(known, [](const auto& entry) {
    return entry.second.kind != kUnknown && entry.second.kind != kControl;
  });
  result.left_out = static_cast<int64_t>(ordinary) - static_cast<int64_t>(taken);
  make_sentencepiece_tokenizer(result.bytes, name);  // the library takes it
  return result;
}

}  // namespace xf::data
