// A model's weights in one file that programs of any kind read.
#pragma once

#include "tools/config/export_options.h"

namespace xf::tools::exchange {

// --model's weights as f32, under the engine's names (docs/exchange.md), to the file --output: as safetensors, its metadata
// with the configuration and the vocabulary's checksum; or as text, "NAME EXTENT..." and a line for each row, numbers apart
// by spaces, each the shortest that reads back to the same f32. Any model but one in eight bits.
void write_weights(const ExportOptions& options);

}  // namespace xf::tools::exchange
