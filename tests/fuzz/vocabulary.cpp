// A vocabulary file: a SentencePiece model, a list of words, a list of classes.
#include <algorithm>

#include "data/labels.h"
#include "data/tokenizer.h"
#include "tests/fuzz/target.h"

namespace xf::fuzz {

using namespace data;

namespace {

void use(const Tokenizer& tokenizer) {
  for (const char* text : {"", "Zwei M\u00E4nner, don't  go!", "\u2581\U0001F642 \u00DF"}) {
    const std::vector<int32_t> ids = tokenizer.encode(text);
    for (const int32_t id : ids) promise(id >= 0 && id < tokenizer.size(), "an id is one of the vocabulary");
    tokenizer.decode(ids);
  }
  for (const int32_t id : {tokenizer.unk_id(), tokenizer.pad_id(), tokenizer.bos_id(), tokenizer.eos_id()})
    promise(id < tokenizer.size(), "a special token is one of the vocabulary");
  const auto again = make_tokenizer(tokenizer.serialize(), "again");
  promise(again->hash() == tokenizer.hash(), "a vocabulary reads back to itself");
}

}  // namespace

void read(std::string_view bytes) {
  attempt([&] { make_labels(std::string(bytes), "labels"); });
  use(*make_tokenizer(std::string(bytes), "vocabulary"));
}

}  // namespace xf::fuzz
