#include "data/protobuf_fields.h"
#include "tests/fuzz/structured/format.h"
#include "tests/fuzz/structured/model_files.h"

namespace xf::fuzz {

namespace {

void append_field(Damage& damage, std::string& message, uint64_t number, const std::string& bytes) {
  data::append_varint(message, damage.number(number << 3 | 2));
  data::append_varint(message, damage.number(bytes.size()));
  message += bytes;
}

void append_value(Damage& damage, std::string& message, uint64_t number, uint64_t value) {
  data::append_varint(message, number << 3);
  data::append_varint(message, damage.number(value));
}

std::string piece_message(Damage& damage, const std::string& piece, float score, uint64_t kind) {
  std::string message;
  append_field(damage, message, 1, damage.text(piece));
  data::append_varint(message, 2 << 3 | 5);
  append(message, static_cast<float>(damage.real(score)));
  append_value(damage, message, 3, kind);
  return message;
}

}  // namespace

std::string sentencepiece(Damage& damage, const std::vector<std::string>& pieces) {
  std::string model;
  float score = 0;
  for (const std::string& piece : pieces) {
    const uint64_t kind = piece == "<unk>" ? 2 : piece == "<s>" || piece == "</s>" ? 3 : 1;
    const std::string message = piece_message(damage, piece, kind == 1 ? --score : 0, kind);
    for (int left = damage.times(); left > 0; --left) append_field(damage, model, 1, message);
  }
  std::string trainer, normalizer;
  append_value(damage, trainer, 3, 1 + damage.below(2));  // unigram or BPE
  append_value(damage, trainer, 24, 1);                   // white space is its own
  for (const uint64_t id : {40, 41, 42}) append_value(damage, trainer, id, id - 40);
  append_field(damage, model, 2, trainer);
  append_field(damage, normalizer, 1, damage.text("identity"));
  append_field(damage, normalizer, 2, damage.happens() ? damage.text("map") : "");
  append_value(damage, normalizer, 3, 1);
  append_field(damage, model, 3, normalizer);
  return model;
}

void make_sentencepiece(Damage& damage, const std::string& folder) {
  put(damage, folder, "vocab.spm",
      sentencepiece(damage, {"<unk>", "<s>", "</s>", "\u2581", "a", "b", "ab", "\u2581a", "\u2581ab"}));
}

}  // namespace xf::fuzz
