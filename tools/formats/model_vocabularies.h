// Whether vocabularies are those of a model.
#pragma once

#include <string>

#include "data/vocabularies.h"
#include "nn/checkpoint/safetensors.h"

namespace xf::tools {

// What a model's file says of the vocabularies that it belongs to, and the comparison with those at hand.
// Error data, beginning with `where`, if they are others. Models of before the checksum are compared by hash,
// which sees other pieces but no other scores.
void describe_vocabularies(const data::Vocabularies& vocabularies, nn::Metadata& metadata);
bool are_of_model(const data::Vocabularies& vocabularies, const nn::Metadata& metadata);
void check_vocabularies(const data::Vocabularies& vocabularies, const nn::Metadata& metadata,
                        const std::string& where);

}  // namespace xf::tools
