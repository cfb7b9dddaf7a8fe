// A run of xformer-train: what the training loop (nn/train/training_loop.h) asks for, answered with
// files, a run folder, a log and a display.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/dist/collective.h"
#include "data/vocabularies.h"
#include "nn/checkpoint/run_folder.h"
#include "nn/train/training_loop.h"
#include "tools/app/run_start.h"
#include "tools/app/training_text.h"
#include "tools/app/validation.h"
#include "tools/config/training_options.h"

namespace xf::tools {

// A text of --test-sets.
struct TestSet {
  std::string name;  // text_name()
  std::unique_ptr<ValidationSet> set;
};

struct TrainingInputs {
  TrainingOptions options;
  data::TextPipeline pipeline;
  data::Vocabularies vocabularies;
  data::ParallelText text;  // kept for --bpe-dropout alone
  data::ParallelCorpus corpus;
  std::unique_ptr<ValidationSet> validation;  // null without --valid-sets
  std::vector<TestSet> tests;
  std::optional<data::Spacing> spacing = {};  // of the training text's targets, where they were
                                              // looked at
  // that fits what is translated into
  data::BleuTokenizer scoring = data::BleuTokenizer::mteval_13a;
  std::string data_hash;                   // of the training text, so that a resumed run is fed the
                                           // same
  std::string text_note;                   // how it was prepared, if it was
  std::vector<std::string> warnings = {};  // what is doubtful about them
  std::vector<std::string> notes = {};     // for the log: what was chosen by the text and the
                                           // machine
  RunStart start = RunStart::fresh;
  std::optional<nn::Checkpoint> checkpoint;  // that --resume names
};

// Reads and checks everything that training needs, before anything is written. A run that goes on
// does so with its own vocabularies. Of several ranks the first one learns the vocabulary and
// prepares a large text, while the others wait.
TrainingInputs read_training_inputs(const TrainingOptions& options, RunStart start, const Announce& announce,
                                    Collective& ranks = Collective::alone());

// Trains to the end, or until a signal (throws Stopped after saving). Of several ranks the first
// one writes. Returns the exit code. Nothing is written before everything is checked and the run
// folder is locked.
int run_training(TrainingInputs inputs, Collective& ranks);

}  // namespace xf::tools
