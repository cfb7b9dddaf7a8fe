#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "core/file.h"
#include "data/sentencepiece_ids.h"
#include "tests/fuzz/structured/format.h"
#include "tests/fuzz/target.h"
#include "tools/formats/given_vocabulary.h"
#include "tools/formats/loaded_model.h"

namespace xf::fuzz {

namespace {

void use(const data::Tokenizer& tokenizer) {
  for (const char* text : {"", "a b ab", "the dog\t\u2581\U0001F642 b"}) {
    const std::vector<int32_t> ids = tokenizer.encode(text);
    for (const int32_t id : ids) promise(id >= 0 && id < tokenizer.size(), "an id is one of the vocabulary");
    tokenizer.decode(ids);
  }
  for (const int32_t id : {tokenizer.unk_id(), tokenizer.pad_id(), tokenizer.bos_id(), tokenizer.eos_id()})
    promise(id < tokenizer.size(), "a special token is one of the vocabulary");
}

}  // namespace

void read_model(const std::string& folder) {
  const auto model = tools::load_model(folder, Device::cpu(), DType::f32, nn::ParameterStore::Gradients::no);
  use(*model->vocabularies.source);
  use(*model->vocabularies.target);
}

void read_vocabulary(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    const std::string bytes = read_regular_file(path);
    const auto tokenizer = tools::parse_given_vocabulary(bytes, path);
    use(*tokenizer);
    if (std::string_view(tokenizer->extension()) != ".spm") continue;
    std::vector<std::string> pieces = {"<unk>"};
    for (int32_t id = 0; id < tokenizer->size(); ++id) {
      if (std::ranges::find(pieces, tokenizer->piece(id)) == pieces.end())
        pieces.push_back(tokenizer->piece(id));
    }
    use(*data::make_tokenizer(data::sentencepiece_with_ids(
                                  bytes, {pieces, {.unk = "<unk>", .bos = "", .eos = "", .pad = ""}}, path),
                              path));
  }
}

}  // namespace xf::fuzz
