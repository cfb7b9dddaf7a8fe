// Phases of a training that are counted in epochs: both directions at first, a training method in
// the end. Those of a task are made for the task's own --after.
#pragma once

#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "tools/config/training_options.h"

namespace xf::tools {

// How many epochs --after allows, nearly, where so many processes train; infinity where it names a
// time alone.
double epochs_allowed(const TrainingOptions& options, const data::ParallelCorpus& corpus, int processes);

// Shortens the phases that are the task's, and that nobody gave, where `epochs` are fewer than the
// task has. Returns what it did, for the log; "" where nothing was to be done.
std::string fit_phases(TrainingOptions& options, double epochs);

// Gives options that go on with a run its phases, unless somebody gave others: they stay as they
// began, however long --after is.
void keep_phases(TrainingOptions& options);

// Of phases that never begin, or never end, in so many epochs.
std::vector<std::string> phase_warnings(const TrainingOptions& options, double epochs);

}  // namespace xf::tools
