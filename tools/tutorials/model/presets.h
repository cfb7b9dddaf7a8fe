// The models of tools/tutorials/presets/*.toml as sizes and switches. Most tutorials state no
// vocabulary: the sizes are those of Multi30k's English and German by spaCy's rules: 5893 and 7853
// by those of its version 3, 7855 by version 2's.
#pragma once

#include <string>
#include <vector>

#include "tools/tutorials/model/quirks.h"

namespace xf::nn::quirks {

struct VocabularySizes {
  int64_t source = 5893, target = 7853;
};

// The paper's base model, with nothing done otherwise.
Config base();
// Of a preset of xformer-train, which names a model with quirks. Ids of padding are 1, or of
// tutorials/by-hand 0, which also has its own ten words and positions.
Config preset(const std::string& task);

// The names of all of them.
const std::vector<std::string>& preset_names();

}  // namespace xf::nn::quirks
