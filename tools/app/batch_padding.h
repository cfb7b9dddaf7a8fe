// xformer-vocab batches: what a program that pads would pad, by how an epoch is cut into batches
// (data/bucket_batches.h).
#pragma once

#include <string>

#include "tools/config/program_options.h"

namespace xf::tools {

// For batches in random order, from sorted pools, and sorted as a whole: their number, the pairs of
// the smallest and of the largest, and the share of padding. Nothing is left out of the text. Error
// data as data::read_parallel_text().
std::string batch_padding(const PaddingOptions& options);

}  // namespace xf::tools
