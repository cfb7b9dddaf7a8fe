// How a training begins in its run folder: what may be gone on with, what is given up, what must be
// left alone.
#pragma once

#include <string>

#include "nn/checkpoint/checkpoint.h"
#include "tools/config/training_options.h"

namespace xf::tools {

enum class RunStart {
  fresh,      // nothing to lose there
  overwrite,  // what is there is given up (--overwrite)
  resumed,    // goes on with the run that is there
};

// Looks at --model and changes nothing. Error usage for a folder that is not ours to write to, a
// run that was begun with other options, and what would lose a run that nobody gave up. To be asked
// twice: before long work, and again when the folder is locked.
RunStart run_start(const TrainingOptions& options);

// Whether --resume, which says `resume`, names a checkpoint.
bool names_checkpoint(const std::string& resume);
bool resumes_checkpoint(const TrainingOptions& options);
// Error usage unless a model with these options is the one of `checkpoint`, which lies at `where`.
void check_same_model(const TrainingOptions& options, const nn::Checkpoint& checkpoint,
                      const std::string& where);

// Removes logs, curves, report, configuration and vocabularies of an earlier run.
void remove_run_files(const std::string& run);

}  // namespace xf::tools
