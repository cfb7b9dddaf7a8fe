// A vocabulary that another toolkit wrote, whatever its format.
#include "tools/formats/given_vocabulary.h"

#include "data/tokenizer.h"
#include "tests/fuzz/target.h"

namespace xf::fuzz {

void read(std::string_view bytes) {
  for (const char* name : {"list", "vocab.yml", "vocab.json"}) {
    attempt([&] {
      const auto vocabulary = tools::parse_given_vocabulary(std::string(bytes), name);
      const std::vector<int32_t> ids = vocabulary->encode("the @@ \u2581a 3");
      for (const int32_t id : ids)
        promise(id >= 0 && id < vocabulary->size(), "an id is one of the vocabulary");
      vocabulary->decode(ids);
      const auto again = data::make_tokenizer(vocabulary->serialize(), "again");
      promise(again->hash() == vocabulary->hash(), "a vocabulary reads back to itself");
    });
  }
}

}  // namespace xf::fuzz
