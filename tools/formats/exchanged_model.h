// A translation model apart from any file: what is written for another toolkit, and what is made of
// its files.
#pragma once

#include <string>

#include "data/vocabularies.h"
#include "nn/checkpoint/checkpoint.h"
#include "nn/transformer_config.h"
#include "tools/formats/tensor_part.h"

namespace xf::tools::exchange {

// What a configuration of ours takes (tools/config/training_options.cpp).
constexpr double kMostDropout = 0.99;

struct ExchangedModel {
  nn::TransformerConfig config;
  nn::TensorMap tensors;  // f32, under the engine's names
  data::Vocabularies vocabularies;
  bool lowercase = false;                  // whether text is lower-cased before it is cut
  int64_t beam_size = 5;                   // of a search, where nobody says otherwise
  double normalize = 1;                    // its length penalty
  std::vector<std::string> warnings = {};  // what is read otherwise than its own toolkit does
  std::string where = "";                  // what it was read from, for messages
};

// A number of a search, as the file at `path` calls it.
struct SearchNumber {
  const char* name;
  double value;
};
// Takes them as far as a search here goes, and warns where that is not so far.
void take_search(ExchangedModel& model, const std::string& path, SearchNumber beams, SearchNumber penalty);

// Of the engine's blocks (nn/transformer.h): what a decoder or encoder layer is called, and the
// tables of embeddings, which are one where all are tied.
std::string layer_name(const char* side, int64_t layer);
std::string source_table(const nn::TransformerConfig& config);
std::string target_table(const nn::TransformerConfig& config);

// The sinusoids that the model adds, [rows, D] f32.
Tensor sinusoids(const nn::TransformerConfig& config, int64_t rows);

// The tensors of `config` from theirs, by the parts that they make up, which have `stored` bytes.
// Error data as joined() has it, and before memory is made for a model that is too large for them.
nn::TensorMap joined_model(const TheirTensor& theirs, const TensorParts& parts,
                           const nn::TransformerConfig& config, uint64_t stored, const std::string& where);

}  // namespace xf::tools::exchange
