// A tokenizer whose text is pieces, apart by spaces: for text that was cut already, or that is to
// stay cut.
#pragma once

#include <memory>

#include "data/tokenizer.h"

namespace xf::data {

// `base` with encode() that takes a text's words for pieces, special ones too, and those that it
// lacks for <unk>, where `encodes`; and with decode() that gives the pieces themselves, special
// ones too, where `decodes`.
std::shared_ptr<const Tokenizer> piece_tokenizer(std::shared_ptr<const Tokenizer> base, bool encodes,
                                                 bool decodes);

}  // namespace xf::data
