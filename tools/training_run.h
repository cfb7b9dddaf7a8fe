// A run of xformer-train: what the training loop (nn/training_loop.h) asks for, answered with files, a run
// folder, a log and a display.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/batches.h"
#include "nn/run_folder.h"
#include "nn/training_loop.h"
#include "tools/progress.h"
#include "tools/run_log.h"
#include "tools/validation.h"

namespace xf::tools {

struct TrainingInputs {
  Options options;
  data::TextPipeline pipeline;
  Vocabularies vocabularies;
  data::ParallelCorpus corpus;
  std::unique_ptr<ValidationSet> validation;  // null without --valid-sets
  std::string data_hash;                      // of the training text, so that a resumed run is fed the same
};

// Reads and checks everything that training needs, before anything is written. `run` is looked into for the
// vocabularies of a run that began already.
TrainingInputs read_training_inputs(const Options& options, const std::string& run, bool resuming);

// Trains to the end, or until a signal (throws Stopped after saving). Returns the exit code.
int run_training(TrainingInputs inputs);

}  // namespace xf::tools
