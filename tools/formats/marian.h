// Models of Marian (marian-nmt.github.io): a .npz file with the weights and, as special:model.yml,
// the model's options, and vocabularies beside it. Of OPUS-MT, what is published for Marian itself.
// Source: Marian's src/models/transformer.h, src/layers/output.cpp,
// src/graph/node_initializers.cpp.
#pragma once

#include "tools/formats/exchanged_model.h"

namespace xf::tools::exchange {

// Whether `path` is such a file, or a folder with one.
bool is_marian(const std::string& path);

// A translation begins there with an embedding of zeros (zero_beginning.h).
// Error data for a file that is missing, damaged or does not fit the others, and usage, naming it,
// for what the engine has no counterpart of.
ExchangedModel read_marian(const std::string& path);

}  // namespace xf::tools::exchange
