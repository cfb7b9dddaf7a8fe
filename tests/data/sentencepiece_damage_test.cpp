#include "data/sentencepiece_damage.h"

#include <cstring>

#include "data/protobuf_fields.h"
#include "data/sentencepiece_ids.h"
#include "data/tokenizer.h"
#include "tests/data/errors.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::data;
using tests::error_of;

namespace {

enum class Type { unigram = 1, bpe = 2, word = 3, character = 4 };

std::string piece(const std::string& text, uint64_t kind) {
  std::string message, field;
  append_bytes(message, 1, text);
  append_integer(message, 3, kind);
  append_bytes(field, 1, message);
  return field;
}

std::string model(Type type, const std::string& more) {
  std::string bytes = piece("<unk>", 2) + piece("<s>", 3) + piece("</s>", 3) + piece("a", 1) + more, trainer;
  append_integer(trainer, 3, static_cast<uint64_t>(type));
  append_bytes(bytes, 2, trainer);
  return bytes;
}

}  // namespace

TEST_CASE(
    "SentencePiece: a model whose unknown piece is not the one that its settings name shows the list's own",
    "[unit]") {
  const std::string bytes = piece("<unk>", 1) + piece("<s>", 3) + piece("</s>", 3) + piece("a", 2);
  const auto tokenizer = make_tokenizer(
      sentencepiece_with_ids(
          bytes, {{"</s>", "<unk>", "a"}, {.unk = "<unk>", .bos = "", .eos = "</s>", .pad = ""}}, "m.spm"),
      "m.spm");
  CHECK(tokenizer->decode(std::vector<int32_t>{1}) == "<unk>");
}

TEST_CASE("SentencePiece: a long line is cut part by part, and its first words are as in a short one",
          "[unit]") {
  const auto tokenizer = make_tokenizer(model(Type::unigram, piece("\u2581a", 1)), "m.spm");
  std::string words, unknown;
  while (words.size() < 1'000'000) words += "a ";
  while (unknown.size() < 1'000'000) unknown += "\u72AC";
  CHECK(tokenizer->encode(words) == std::vector<int32_t>(500'000, 4));
  CHECK(tokenizer->cut(words).size() == 500'000);
  // A part's unknown characters are one piece. As one text they would take minutes.
  CHECK(tokenizer->encode(unknown).size() <= 2 * (unknown.size() / 65536 + 1));
}

// The library builds its index of pieces by recursion, a call for each byte of a piece.
TEST_CASE("SentencePiece: a piece is as long as the library learns them, in a model of any type", "[unit]") {
  constexpr uint64_t kNormal = 1, kUserDefined = 4;
  for (const Type type : {Type::unigram, Type::bpe, Type::word, Type::character}) {
    for (const uint64_t kind : {kNormal, kUserDefined}) {
      CHECK(make_tokenizer(model(type, piece(std::string(4192, 'b'), kind)), "m.spm")->size() == 5);
      for (const size_t longer : {4193, 200'000, 1'000'000})
        CHECK(error_of([&] {
                make_tokenizer(model(type, piece(std::string(longer, 'b'), kind)), "m.spm");
              }) == "3: m.spm: damaged: an overlong piece; train or copy it again");
    }
  }
}
