// What the SentencePiece library takes on trust in a model file, and would end the process over.
#pragma once

#include <string_view>

namespace xf::data {

// What is wrong with the bytes of a model, in a few words, or null. What the library itself refuses
// is left to it.
const char* sentencepiece_damage(std::string_view model);

}  // namespace xf::data
