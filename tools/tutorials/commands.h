// The tutorials' commands, for the programs. Without XFORMER_TUTORIALS each is refused, Error usage
// (absent.cpp).
#pragma once

#include <string>
#include <vector>

#include "tools/config/program_options.h"

namespace xf::tutorials {

// xformer-explain steps: a step of the walk or all of them, in the options' format (steps.h).
std::string steps_page(const tools::StepsOptions& options);

// xformer-explain quirk: a room of docs/variants (quirk.h); without a name, the list of rooms.
std::string quirk_page(const tools::QuirkOptions& options);
// "Q1" and so on; none without XFORMER_TUTORIALS.
std::vector<std::string> quirk_ids();

// xformer-vocab field: the first lines of a text as one padded batch, by the options of torchtext's
// Field (field.h). The vocabulary of all lines of --input, then for each file the batch of its
// first --num-examples lines: its shape, its rows as words or ids, and the lengths. Errors as Field
// has them; usage if --tokenizer needs a language and has none.
std::string field_page(const tools::FieldOptions& options);

// xformer-translate --teacher-forced: the likeliest words of each line or, with --output-format
// tutorial, examples and scores of each batch; the score of all on the standard error. The exit
// code. Errors as teacher_forced() has them (tools/inference/teacher_forcing.h).
int translate_along_reference(const tools::TranslationOptions& options);

}  // namespace xf::tutorials
