// A training from its options to its end: what xformer-train and the library's train() share.
#pragma once

#include "tools/options.h"

namespace xf::tools {

// `options`: of Program::train. Refuses first what needs no text to be refused; then reads, begins the run or goes on
// with it, and trains. Sets the number of threads. Returns the exit code. Throws Stopped where signals are watched and
// one came.
int train(const Options& options);

}  // namespace xf::tools
