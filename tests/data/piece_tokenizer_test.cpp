// Pieces for text.
#include "data/piece_tokenizer.h"

#include "data/word_tokenizer.h"
#include "tests/support/catch.h"

using namespace xf::data;
using Ids = std::vector<int32_t>;

namespace {

// <unk> 0, <pad> 1, <sos> 2, <eos> 3, then a. and b: ICU cuts "a." in two, and a piece it is.
std::shared_ptr<const Tokenizer> words() {
  return make_word_tokenizer("<unk>\n<pad>\n<sos>\n<eos>\na.\nb\n", "words");
}

}  // namespace

TEST_CASE("Piece tokenizer: words of the text are pieces, whatever the vocabulary's rules", "[unit]") {
  const auto pieces = piece_tokenizer(words(), true, false);
  CHECK(pieces->encode("a. b  zebra <eos>") == Ids{4, 5, 0, 3});
  CHECK(pieces->encode("").empty());
  CHECK(words()->encode("a.") != Ids{4});
  CHECK(pieces->decode(Ids{4, 5, 3}) == words()->decode(Ids{4, 5, 3}));
}

TEST_CASE("Piece tokenizer: ids come out as pieces", "[unit]") {
  const auto pieces = piece_tokenizer(words(), false, true);
  CHECK(pieces->decode(Ids{4, 0, 5, 3}) == "a. <unk> b <eos>");
  CHECK(pieces->decode(Ids{}).empty());
  CHECK(pieces->encode("b b") == words()->encode("b b"));
}

TEST_CASE("Piece tokenizer: all else is the vocabulary's", "[unit]") {
  const auto base = words(), pieces = piece_tokenizer(base, true, true);
  CHECK(pieces->size() == 6);
  CHECK(pieces->piece(4) == "a.");
  CHECK(pieces->checksum() == base->checksum());
  CHECK(Ids{pieces->unk_id(), pieces->pad_id(), pieces->bos_id(), pieces->eos_id()} == Ids{0, 1, 2, 3});
}
