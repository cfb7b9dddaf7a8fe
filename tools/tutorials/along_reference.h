// xformer-translate --teacher-forced: what a model says along a reference, as two tutorials print and score it.
#pragma once

#include "tools/config/translation_options.h"

namespace xf::tutorials {

// The likeliest words of each line or, with --output-format seed, examples and scores of each batch; the score of all on
// the standard error. The exit code. Errors as teacher_forced() has them (tools/inference/teacher_forcing.h).
int predict_along_reference(const tools::TranslationOptions& options);

}  // namespace xf::tutorials
