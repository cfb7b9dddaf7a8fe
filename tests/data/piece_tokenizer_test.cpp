// Pieces for text.
#include "data/piece_tokenizer.h"

#include "data/sentencepiece_extension.h"
#include "data/sentencepiece_tokenizer.h"
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

// Text that is cut, written, read and joined is the same text. Of each script the white space that
// belongs to its words.
TEST_CASE("Piece tokenizer: pieces with white space survive being written apart by spaces", "[unit]") {
  const std::vector<std::string> text = {
      "Vraiment\u00A0? \u00AB\u202FOui\u202F!\u00A0\u00BB 10\u00A0000\u00A0\u20AC",  // French
      "\u732B\u304C\u3000\u3044\u308B\u3002",  // Japanese: ideographic space
      "a\u2003b c\u1680d e\u205Ff g\u2007h",
      "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 \u0915\u094D\u200D\u0937"};  // joiners
  const std::shared_ptr<const Tokenizer> pieces =
      make_sentencepiece_tokenizer(train_bpe({&text}, {.vocab_size = 90}), "pieces");
  const std::shared_ptr<const Tokenizer> icu = build_word_tokenizer({&text},
                                                                    {.min_frequency = 1, .specials = {}}),
                                         characters = build_word_tokenizer(
                                             {&text}, {.min_frequency = 1,
                                                       .specials = {},
                                                       .rules = make_word_rules("character")});
  for (const auto& vocabulary : {pieces, icu, characters}) {
    const auto writer = piece_tokenizer(vocabulary, false, true),
               reader = piece_tokenizer(vocabulary, true, false);
    for (const std::string& line : text) {
      const Ids ids = vocabulary->encode(line);
      CHECK(reader->encode(writer->decode(ids)) == ids);
      CHECK(reader->decode(reader->encode(writer->decode(ids))) == line);
    }
  }
}

TEST_CASE("Piece tokenizer: a piece with a line end stays on its line, and is read again", "[unit]") {
  const std::vector<std::string> text = {"a man rides a bike ."};
  const std::shared_ptr<const Tokenizer> base = make_sentencepiece_tokenizer(
      sentencepiece_with_pieces(train_bpe({&text}, {.vocab_size = 40}), {"a\r\nb", "\n"}, "a test"),
      "extended");
  const auto pieces = piece_tokenizer(base, true, true);
  CHECK(pieces->decode(Ids{base->size() - 2, 5, base->size() - 1}).find_first_of("\r\n") ==
        std::string::npos);
  CHECK(pieces->encode(pieces->decode(Ids{base->size() - 2, 5})) == Ids{base->size() - 2, 5});
}

TEST_CASE("Piece tokenizer: a piece may be a separator, and one that is none stands between pieces",
          "[unit]") {
  const std::shared_ptr<const Tokenizer> vocabulary =
      make_word_tokenizer("<unk>\na\nb\n\u2028\n\v\nx\ty\n \n", "list");
  const auto pieces = piece_tokenizer(vocabulary, true, true);
  CHECK(pieces->encode("a \u2028 \v x\ty b") == Ids{1, 3, 4, 5, 2});
  CHECK(pieces->encode("a\tb\u2028a \u00A0b") == Ids{1, 2, 1, 0});
  CHECK(pieces->cut("a\tb zebra") == std::vector<std::string>{"a", "b", "zebra"});
  // spaCy's rules make words of white space.
  CHECK(pieces->decode(Ids{1, 6, 2}) == "a \u2581 b");
  CHECK(pieces->encode("a \u2581 b") == Ids{1, 6, 2});
}
