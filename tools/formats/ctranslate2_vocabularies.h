// The lists of pieces in a folder of CTranslate2's, and the tokenizers that belong to them.
#pragma once

#include <string>
#include <vector>

#include "data/vocabularies.h"
#include "tools/formats/settings.h"

namespace xf::tools::exchange {

// What the weights say of how text is read.
struct CTranslate2Reading {
  bool begins_with_zeros = false;  // translations do (zero_beginning.h)
  // Whether sources end with </s> where config.json says that CTranslate2 adds none: transformers'
  // tokenizers add it before, and OpenNMT's models read none.
  bool callers_add_eos = false;
};

// Error data for lists that are missing or do not fit, usage for a beginning of translations or of
// sources that models of this engine do not have. Adds to `warnings` what is cut otherwise than
// there.
data::Vocabularies ctranslate2_vocabularies(const std::string& folder, const Settings& settings,
                                            const CTranslate2Reading& reading,
                                            std::vector<std::string>& warnings);

}  // namespace xf::tools::exchange
