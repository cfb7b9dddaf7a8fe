#include "data/sentencepiece_folding.h"

#include "data/parallel_corpus.h"
#include "data/sentencepiece_tokenizer.h"
#include "data/unicode.h"
#include "tests/support/catch.h"

using namespace xf::data;

namespace {

// Capitals of Latin, Greek, Cyrillic and Armenian letters, with signs; İ, whose small letter is two
// characters.
const std::vector<std::string> kTexts = {"Ein Hund schläft.",    "ÉCOLE, Où ÇA?", "ΟΙ ΣΟΦΟΊ ΓΕΛΟΎΝ",
                                         "Человек ЁЛКА Йод",     "ՄԱՐԴ",          "İstanbul",
                                         "Tiếng Việt ĐẸP ỒN ÀO", "Straße ẞ",      "ǅ Ǆ"};

}  // namespace

TEST_CASE("SentencePiece: a folding model cuts a text as xformer's own cuts what is prepared", "[unit]") {
  const TextPipeline pipeline{.lowercase = true};
  std::vector<std::string> lines;
  for (const std::string& text : kTexts) lines.push_back(pipeline.prepare(text));
  const std::string own = train_bpe({&lines}, {.vocab_size = 120});
  CHECK(sentencepiece_keeps_text(own));
  const std::string folding = sentencepiece_folding_case(own, "a test");
  CHECK_FALSE(sentencepiece_keeps_text(folding));
  const auto ours = make_sentencepiece_tokenizer(own, "own"),
             theirs = make_sentencepiece_tokenizer(folding, "folding");
  REQUIRE(ours->size() == theirs->size());
  for (const std::string& text : kTexts) {
    INFO(text);
    CHECK(theirs->encode(text) == ours->encode(pipeline.prepare(text)));
    CHECK(theirs->encode(normalize_nfd(text)) == ours->encode(pipeline.prepare(text)));
    CHECK(theirs->encode(pipeline.prepare(text)) == ours->encode(pipeline.prepare(text)));
    CHECK(theirs->decode(theirs->encode(text)) == pipeline.prepare(text));
  }
  CHECK(theirs->encode("ΟΣ") ==
        ours->encode("οσ"));  // where prepare() has ς: the library's rules see no context
}
