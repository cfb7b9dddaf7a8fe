// SentencePiece models with the ids of a list. Those of transformers:
// tests/tools/marian_tokenizer_test.cpp.
#include "data/sentencepiece_ids.h"

#include <algorithm>

#include "data/sentencepiece_extension.h"
#include "data/sentencepiece_processor.h"
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

std::vector<std::string> pieces_of(const std::string& model) {
  return pieces_of(*make_sentencepiece_tokenizer(model, "model"));
}

std::vector<std::string> cut(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> pieces;
  for (const int32_t id : tokenizer.encode(text)) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

std::unique_ptr<Tokenizer> with_ids(const std::string& model, const PieceList& list) {
  return make_sentencepiece_tokenizer(sentencepiece_with_ids(model, list, "model"), "model");
}

}  // namespace

TEST_CASE("SentencePiece ids: text is cut as before, and the ids are the list's", "[unit]") {
  const std::string bytes = trained();
  const auto before = make_sentencepiece_tokenizer(bytes, "before");
  std::vector<std::string> pieces = pieces_of(*before);
  std::ranges::reverse(pieces);
  pieces.insert(pieces.begin() + 3, "\u2581dogs");  // the model lacks it
  const auto after = with_ids(bytes, {pieces, {}});
  CHECK(pieces_of(*after) == pieces);
  for (const char* text : {"the old dogs see the small house", "dog the", "zebra"})
    CHECK(cut(*after, text) == cut(*before, text));
  CHECK(after->unk_id() == static_cast<int32_t>(pieces.size()) - 1);
  CHECK(after->pad_id() == static_cast<int32_t>(pieces.size()) - 4);
}

TEST_CASE("SentencePiece ids: what the model lacks is read and written where the list has it", "[unit]") {
  const std::string bytes = trained();
  std::vector<std::string> pieces = pieces_of(bytes);
  const int32_t first = static_cast<int32_t>(pieces.size());
  pieces.insert(pieces.end(), {"\u2581Katze", "\u732B", "</s>\u732B"});
  const auto tokenizer = with_ids(bytes, {pieces, {}});
  CHECK(tokenizer->decode(std::vector<int32_t>{first}) == "Katze");
  CHECK(tokenizer->decode(tokenizer->encode("the \u732B")) == "the \u732B");
  CHECK(tokenizer->encode("dog \u732B").back() == first + 1);
  // The model leaves "</s>" as it stands, and it is no end of the sentence.
  const auto ids = tokenizer->encode("</s>");
  CHECK(std::ranges::count(ids, tokenizer->eos_id()) == 0);
}

TEST_CASE("SentencePiece ids: a translation may begin with what fills up, and the list must have it",
          "[unit]") {
  const std::string bytes = trained();
  std::vector<std::string> pieces = pieces_of(bytes);
  std::erase(pieces, "<s>");
  const auto after = with_ids(bytes, {pieces, {.bos = "<pad>"}});
  CHECK(after->bos_id() == after->pad_id());
  CHECK(after->piece(after->bos_id()) == "<pad>");
  CHECK(error_of([&] {
          sentencepiece_with_ids(bytes, {pieces, {}}, "source.spm");
        }) == "3: source.spm: the list of pieces that belongs to it has no <s>");
  pieces.push_back("<pad>");
  CHECK(error_of([&] {
          sentencepiece_with_ids(bytes, {pieces, {.bos = "<pad>"}}, "source.spm");
        }) == "3: source.spm: the list of pieces that belongs to it has '<pad>' twice");
}

TEST_CASE("SentencePiece ids: a list in the model's own order leaves its bytes, what it lacks is counted",
          "[unit]") {
  const std::string bytes = trained();
  PieceList list{pieces_of(bytes), {}};
  CHECK(sentencepiece_with_ids(bytes, list, "model") == bytes);
  list.pieces.pop_back();
  CHECK(pieces_without_id(bytes, list) == 1);
  const std::string shorter = sentencepiece_with_ids(bytes, list, "model");
  CHECK(pieces_of(shorter) == list.pieces);
  // Another list takes the place of one that is there.
  CHECK(sentencepiece_with_ids(shorter, {pieces_of(bytes), {}}, "model") == bytes);
}

TEST_CASE("SentencePiece ids: a vocabulary with a list is extended like another", "[unit]") {
  const std::string bytes = trained();
  std::vector<std::string> pieces = pieces_of(bytes);
  std::ranges::reverse(pieces);
  const std::string more =
      sentencepiece_with_pieces(sentencepiece_with_ids(bytes, {pieces, {}}, "model"), {"<new>"}, "model");
  const auto tokenizer = make_sentencepiece_tokenizer(more, "model");
  CHECK(tokenizer->size() == static_cast<int32_t>(pieces.size()) + 1);
  CHECK(tokenizer->encode("the <new> dog")[2] == tokenizer->size() - 1);
}

TEST_CASE(
    "SentencePiece ids: a tag that SentencePiece is to cut out of text is none of ours, who have the list",
    "[unit]") {
  const std::string bytes = trained();
  std::vector<std::string> pieces = pieces_of(bytes);
  for (const char* tag : {">>fra<<", "__de__"}) pieces.emplace_back(tag);
  const std::string listed = sentencepiece_with_ids(bytes, {pieces, {}}, "model");
  const auto tokenizer = make_sentencepiece_tokenizer(listed, "model");
  const std::string tagged = with_cut_tags(listed, tokenizer->tags());
  for (const std::string tag : {">>fra<<", "__de__"}) {
    std::vector<std::string> expected = {"\u2581", tag}, found;
    for (std::string& piece : cut(*tokenizer, "the old dog")) expected.push_back(std::move(piece));
    const SentencePieceModel library(tagged, "model");
    library.check(library->Encode(tag + " the old dog", &found));
    CHECK(found == expected);
    expected.erase(expected.begin());
    CHECK(cut(*make_sentencepiece_tokenizer(tagged, "model"), tag + " the old dog") == expected);
  }
  CHECK(with_cut_tags(tagged, tokenizer->tags()) == tagged);
  CHECK(without_cut_tags(tagged) == listed);
  CHECK(sentencepiece_with_ids(tagged, {pieces, {}}, "model") == listed);
}
