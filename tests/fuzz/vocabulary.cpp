// A vocabulary file: a SentencePiece model, a list of words, a list of classes.
#include <algorithm>

#include "data/labels.h"
#include "data/sentencepiece_extension.h"
#include "data/sentencepiece_ids.h"
#include "data/tokenizer.h"
#include "tests/fuzz/target.h"
#include "tools/tutorials/spacy/spacy_tokenizer.h"

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

// The last piece first.
void use_with_other_ids(const Tokenizer& tokenizer) {
  std::vector<std::string> pieces = {"<s>", "</s>", "<unk>", "<pad>"};
  for (int32_t id = tokenizer.size() - 1; id >= 0; --id) {
    const std::string piece = tokenizer.piece(id);
    if (std::ranges::find(pieces, piece) == pieces.end()) pieces.push_back(piece);
  }
  const auto again =
      make_tokenizer(sentencepiece_with_ids(tokenizer.serialize(), {pieces, {}}, "model"), "again");
  promise(again->size() == static_cast<int32_t>(pieces.size()), "as many pieces as the list has");
  for (int32_t id = 0; id < again->size(); ++id)
    promise(again->piece(id) == pieces[static_cast<size_t>(id)], "a piece has the list's id");
  use(*again);
}

void use_with_one_more(const Tokenizer& tokenizer) {
  const std::string bytes = sentencepiece_with_pieces(tokenizer.serialize(), {"<domain>"}, "model");
  const auto again = make_tokenizer(bytes, "again");
  promise(again->size() == tokenizer.size() + 1, "there is one piece more");
  promise(again->piece(tokenizer.size()) == "<domain>", "it is the last one");
  use(*again);
}

}  // namespace

void read(std::string_view bytes) {
  register_spacy_words();
  attempt([&] { make_labels(std::string(bytes), "labels"); });
  const auto tokenizer = make_tokenizer(std::string(bytes), "vocabulary");
  use(*tokenizer);
  if (std::string_view(tokenizer->extension()) != ".spm") return;
  attempt([&] { use_with_one_more(*tokenizer); });
  use_with_other_ids(*tokenizer);
}

}  // namespace xf::fuzz
