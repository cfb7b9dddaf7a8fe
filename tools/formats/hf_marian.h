// Models of transformers' class MarianMT (https://github.com/huggingface/transformers,
// models/marian/): a folder of model.safetensors or pytorch_model.bin, config.json,
// generation_config.json, vocab.json and two SentencePiece models.
#pragma once

#include <string>

#include "tools/formats/exchanged_model.h"

namespace xf::tools::exchange {

// Error usage, naming what it is and why, for a model that the class cannot hold: pre-norm, learnt
// or rotary positions, a vocabulary of words or without <pad>.
void check_hf_marian(const ExchangedModel& model);

// Writes the files into `folder`, which exists. Sinusoids that are interleaved are reordered
// (position_order.h).
void write_hf_marian(const std::string& folder, const ExchangedModel& model);

bool is_hf_marian(const std::string& folder);

// Error data for a file that is missing, damaged or does not fit the others, and usage, naming it,
// for what the engine has no counterpart of.
ExchangedModel read_hf_marian(const std::string& folder);

}  // namespace xf::tools::exchange
