// Vocabularies for other toolkits, in which nobody lower-cases a text before it is cut.
#pragma once

#include <string>
#include <vector>

#include "data/vocabularies.h"

namespace xf::tools::exchange {

// The same pieces; SentencePiece models lower-case text themselves. What cannot, such as a list of words, is as it was, and a
// warning says what the caller has to do. `where`: the model, for it.
data::Vocabularies with_folded_case(const data::Vocabularies& vocabularies, const std::string& where,
                                    std::vector<std::string>& warnings);

}  // namespace xf::tools::exchange
