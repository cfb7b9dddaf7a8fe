// The models of published tutorials, with their quirks. Most of them state no vocabulary: the sizes are those of Multi30k's
// English and German by spaCy's rules, where none are given, 5893 and 7853 by the rules of its version 3, 7855 by version 2's.
#pragma once

#include <string>
#include <vector>

#include "nn/quirks/quirks.h"

namespace xf::nn::quirks {

struct Vocabularies {
  int64_t source = 5893, target = 7853;
};

// The paper's base model with nothing done otherwise; what the others start from.
Config base(Vocabularies vocabularies = {});
// A blog's translator from English to German: 55,205,037 parameters.
Config seed000(Vocabularies vocabularies = {});
// A walk-through's model, small enough to be calculated by hand: 5,968 parameters, of which 108 never get a gradient.
Config seed001();
// A widely read implementation: 55,207,087 parameters.
Config seed002(Vocabularies vocabularies = {.source = 5893, .target = 7855});
// A notebook on strings of characters, as it was meant, and with those of its mistakes that can run.
Config seed003(Vocabularies vocabularies = {});
Config seed003_asis(Vocabularies vocabularies = {});
// An illustrated explanation: its code, pre-norm with final norms, and its text, post-norm.
Config seed004(Vocabularies vocabularies = {});
Config seed004_prose(Vocabularies vocabularies = {});

struct Preset {
  std::string name;  // "seed003-asis"
  Config config;
};
// All of them but base, with the sizes above.
std::vector<Preset> presets();

}  // namespace xf::nn::quirks
