#include "tools/formats/folded_vocabulary.h"

#include <fmt/core.h>

#include "data/sentencepiece_folding.h"
#include "data/vocabularies.h"

namespace xf::tools::exchange {

namespace {

// Null where it cannot.
std::shared_ptr<const data::Tokenizer> folding_case(const data::Tokenizer& tokenizer,
                                                    const std::string& where) {
  if (std::string_view(tokenizer.extension()) != ".spm") return nullptr;
  const std::string model = tokenizer.serialize();
  if (!data::sentencepiece_keeps_text(model)) return nullptr;
  return data::make_tokenizer(data::sentencepiece_folding_case(model, where), where);
}

}  // namespace

data::Vocabularies with_folded_case(const data::Vocabularies& vocabularies, const std::string& where,
                                    std::vector<std::string>& warnings) {
  const auto source = folding_case(*vocabularies.source, where);
  const auto target = vocabularies.joint() ? source : folding_case(*vocabularies.target, where);
  if (!source || !target)
    warnings.push_back(
        fmt::format("{}: knows lower case alone, and its vocabulary does not lower-case: "
                    "lower-case a text before it is cut into words",
                    where));
  data::Vocabularies folded = vocabularies;
  if (source) folded.source = source;
  if (target) folded.target = target;
  return folded;
}

}  // namespace xf::tools::exchange
