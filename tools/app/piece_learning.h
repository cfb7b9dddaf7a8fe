// Learning the pieces of a vocabulary. It takes minutes where words are long, as those of a script
// without spaces are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/sentencepiece_tokenizer.h"
#include "tools/console/announce.h"

namespace xf::tools {

// Tells beforehand how long it will take, if that is worth telling, and of what share of the text.
// Errors as train_bpe().
std::unique_ptr<data::Tokenizer> learn_pieces(const std::vector<const std::vector<std::string>*>& texts,
                                              const data::BpeOptions& options, const Announce& announce);

}  // namespace xf::tools
