// What the folders of models have in common: a small model, texts beside it, and files that are no
// files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "nn/checkpoint/checkpoint.h"
#include "nn/transformer_config.h"
#include "tests/fuzz/structured/damage.h"
#include "tools/formats/tensor_part.h"

namespace xf::fuzz {

// A Transformer of one layer a side, four wide, for so many pieces, and its tensors.
nn::TransformerConfig small_config(int64_t pieces);
nn::TensorMap small_model(const nn::TransformerConfig& config);

// Writes a file, or where damage strikes a folder, a pipe, a link, a cut file or nothing in its
// place.
void put(Damage& damage, const std::string& folder, const std::string& name, const std::string& bytes);

// A SentencePiece model of these pieces; <unk>, <s> and </s> are what they are.
std::string sentencepiece(Damage& damage, const std::vector<std::string>& pieces);

// {"NAME": VALUE, ...} of texts that are JSON already.
std::string json_object(Damage& damage, const std::vector<std::pair<std::string, std::string>>& entries);
std::string json_number(Damage& damage, int64_t honest);
std::string json_text(Damage& damage, const std::string& honest);
// Ids by piece.
std::string json_pieces(Damage& damage, const std::vector<std::string>& pieces);

}  // namespace xf::fuzz
