// xformer-vocab field: the first lines of a text as one padded batch, by the options of torchtext's Field (tools/tutorials/field.h).
#pragma once

#include <string>

#include "tools/config/vocabulary_options.h"

namespace xf::tools {

// The vocabulary of all lines of --input, then for each file the batch of its first --num-examples lines: its shape, its
// rows as words or ids, and the lengths. Errors as Field has them; usage if --tokenizer needs a language and has none.
std::string field_batches(const FieldOptions& options);

}  // namespace xf::tools
