// A training from its options to its end: what xformer-train and the library's train() share.
#pragma once

#include "core/dist/collective.h"
#include "tools/config/training_options.h"

namespace xf::tools {

// `options`: of xformer-train. Refuses first what needs no text to be refused; then reads, begins
// the run or goes on with it, and trains. Sets the number of threads. Returns the exit code. Throws
// Stopped where signals are watched and one came. Of several ranks each calls it with the same
// options, and sees the same files.
int train(const TrainingOptions& options, Collective& ranks = Collective::alone());

}  // namespace xf::tools
