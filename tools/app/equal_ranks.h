// What the ranks of one training must have in common. Each function compares it on all of them,
// before anything is sent whose size or meaning depends on it, and ends all with one Error that
// names what differs, the first rank that has something else, and rank 0. With one rank nothing is
// done.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/dist/collective.h"
#include "nn/checkpoint/checkpoint.h"
#include "tools/app/training_run.h"
#include "tools/config/training_options.h"

namespace xf::tools {

// Error usage: programs of other versions.
void check_same_version(Collective& ranks);

// Error usage: options that differ and may not (Option::among_ranks), whether they were given or
// come from a task, a file or a run; or one rank has none, since it was asked for a page.
void check_same_options(const std::optional<TrainingOptions>& options, Collective& ranks);

// Error data: files that the first rank alone reads for all, --vocabs and --extend-vocab. Where a
// rank has no such file, it needs none.
void check_same_files(const TrainingOptions& options, Collective& ranks);

// Error usage: a GPU and a CPU, the precision that `auto` has become, and what would have the
// weights of one rank differ from another's by their last bits. `threads` are this rank's.
void check_same_arithmetic(const TrainingOptions& options, int threads, Collective& ranks);

// Error data: a text that one rank prepares, since it is large, and another one does not.
void check_same_preparation(bool is_prepared, Collective& ranks);

// Error data: texts to train, validate and test on, vocabularies.
void check_same_inputs(const TrainingInputs& inputs, Collective& ranks);

// Error data: checkpoints to go on from; `where` is this rank's.
void check_same_checkpoint(const nn::Checkpoint& checkpoint, const std::string& where, Collective& ranks);

// Error data: weights to begin with, of --pretrained-model; failure: drawn ones.
void check_same_weights(const nn::ParameterStore& store, const TrainingOptions& options, Collective& ranks);

}  // namespace xf::tools
