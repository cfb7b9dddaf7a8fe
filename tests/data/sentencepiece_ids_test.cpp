// SentencePiece models with the ids of a list.
#include "data/sentencepiece_ids.h"

#include <algorithm>

#include "data/sentencepiece_tokenizer.h"
#include "tests/data/errors.h"
#include "tests/support/catch.h"

using namespace xf::data;
using xf::tests::error_of;

namespace {

std::string trained() {
  const std::vector<std::string> text(20, "the small dog sees the old dog near the house");
  return train_bpe({&text}, {.vocab_size = 40});
}

std::vector<std::string> pieces_of(const Tokenizer& tokenizer) {
  std::vector<std::string> pieces;
  for (int32_t id = 0; id < tokenizer.size(); ++id) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

std::vector<std::string> cut(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> pieces;
  for (const int32_t id : tokenizer.encode(text)) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

}  // namespace

TEST_CASE("SentencePiece ids: text is cut as before, and the ids are the list's", "[unit]") {
  const std::string bytes = trained();
  const auto before = make_sentencepiece_tokenizer(bytes, "before");
  std::vector<std::string> pieces = pieces_of(*before);
  std::ranges::reverse(pieces);
  pieces.insert(pieces.begin() + 3, "\u2581dogs");  // the model lacks it
  const ModelWithIds model = sentencepiece_with_ids(bytes, pieces, {}, MissingPieces::silent, "model");
  CHECK(model.left_out == 0);
  const auto after = make_sentencepiece_tokenizer(model.bytes, "after");
  CHECK(pieces_of(*after) == pieces);
  for (const char* text : {"the old dogs see the small house", "dog the", "zebra"})
    CHECK(cut(*after, text) == cut(*before, text));
  CHECK(after->unk_id() == static_cast<int32_t>(pieces.size()) - 1);
  CHECK(after->pad_id() == static_cast<int32_t>(pieces.size()) - 4);
}

TEST_CASE("SentencePiece ids: what the model lacks is decoded where that is asked for", "[unit]") {
  const std::string bytes = trained();
  std::vector<std::string> pieces = pieces_of(*make_sentencepiece_tokenizer(bytes, "before"));
  pieces.push_back("\u2581Katze");
  const std::vector<int32_t> ids = {static_cast<int32_t>(pieces.size()) - 1};
  for (const auto& [missing, text] :
       {std::pair{MissingPieces::silent, ""}, {MissingPieces::decoded, "Katze"}}) {
    const ModelWithIds model = sentencepiece_with_ids(bytes, pieces, {}, missing, "model");
    CHECK(make_sentencepiece_tokenizer(model.bytes, "after")->decode(ids) == text);
  }
}

TEST_CASE("SentencePiece ids: a translation may begin with what fills up, and the list must have it",
          "[unit]") {
  const std::string bytes = trained();
  std::vector<std::string> pieces = pieces_of(*make_sentencepiece_tokenizer(bytes, "before"));
  std::erase(pieces, "<s>");
  const SpecialPieces specials{.bos = "<pad>"};
  const ModelWithIds model = sentencepiece_with_ids(bytes, pieces, specials, MissingPieces::silent, "model");
  const auto after = make_sentencepiece_tokenizer(model.bytes, "after");
  CHECK(after->bos_id() == after->pad_id());
  CHECK(after->piece(after->bos_id()) == "<pad>");
  CHECK(error_of([&] { sentencepiece_with_ids(bytes, pieces, {}, MissingPieces::silent, "source.spm"); }) ==
        "3: source.spm: the list of pieces that belongs to it has no <s>");
}

TEST_CASE("SentencePiece ids: a list in the model's own order leaves its bytes, a shorter one is told",
          "[unit]") {
  const std::string bytes = trained();
  std::vector<std::string> pieces = pieces_of(*make_sentencepiece_tokenizer(bytes, "before"));
  CHECK(sentencepiece_with_ids(bytes, pieces, {}, MissingPieces::silent, "model").bytes == bytes);
  pieces.pop_back();
  CHECK(sentencepiece_with_ids(bytes, pieces, {}, MissingPieces::silent, "model").left_out == 1);
}
