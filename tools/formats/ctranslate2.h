// Models of CTranslate2 (https://github.com/OpenNMT/CTranslate2): a folder of model.bin
// (ctranslate2_file.h), config.json and the vocabularies as lists of pieces. Names and shapes:
// python/ctranslate2/specs/ there.
#pragma once

#include <string>

#include "tools/formats/exchanged_model.h"

namespace xf::tools::exchange {

// What weights are stored as: as they are, every f32 but the scales in sixteen bits, or matrices as
// eight bits and a scale for each row.
enum class Quantization { float32, float16, int8 };

// Writes the files into `folder`, which exists. The model is one that check_ctranslate2() lets
// pass.
void write_ctranslate2(const std::string& folder, const ExchangedModel& model, Quantization quantization);

// Error usage, naming what it is and why, for a model that the format cannot hold.
void check_ctranslate2(const ExchangedModel& model);

bool is_ctranslate2(const std::string& folder);

// Weights in eight bits come back as what they stand for. Error data for a file that is missing,
// damaged or does not fit the others, and usage, naming it, for what the engine has no counterpart
// of.
ExchangedModel read_ctranslate2(const std::string& folder);

}  // namespace xf::tools::exchange
