#include "tools/formats/model_vocabularies.h"
#include "data/vocabularies.h"
#include "nn/checkpoint/safetensors.h"

#include "core/error.h"

namespace xf::tools {
namespace {

// Keys in the metadata of model.safetensors.
constexpr const char* kHash = "vocabulary";
constexpr const char* kChecksum = "vocabulary_crc64";

}  // namespace

void describe_vocabularies(const data::Vocabularies& vocabularies, nn::Metadata& metadata) {
  metadata[kHash] = vocabularies.hash();
  metadata[kChecksum] = vocabularies.checksum();
}

bool are_of_model(const data::Vocabularies& vocabularies, const nn::Metadata& metadata) {
  const auto differs = [&](const char* key, const std::string& now) {
    const auto then = metadata.find(key);
    return then != metadata.end() && then->second != now;
  };
  return !differs(kHash, vocabularies.hash()) && !differs(kChecksum, vocabularies.checksum());
}

void check_vocabularies(const data::Vocabularies& vocabularies, const nn::Metadata& metadata,
                        const std::string& where) {
  if (are_of_model(vocabularies, metadata)) return;
  fail(ErrorKind::data,
       "{}: was trained with another vocabulary, or the vocabulary's file is damaged; "
       "put the run's own vocab.* back",
       where);
}

}  // namespace xf::tools
