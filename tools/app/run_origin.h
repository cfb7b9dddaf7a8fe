// Where a run's relative names of files are looked up from another folder than the one that it was
// started in: the run keeps that folder's name beside them.
#pragma once

#include <string>

#include "tools/config/training_options.h"

namespace xf::tools {

inline constexpr const char* kOriginFile = "started_in.txt";

// Into the run folder: the current folder.
void write_origin(const std::string& run);

// Relative names of text and vocabularies, of a run or of one of its checkpoints, as they are found
// where the run was started; else as they stand.
void find_files(GivenOptions& of_run, const std::string& folder);

// Of a run that goes on: error data where a text is not there, with the command that says where it
// is.
void check_texts(const TrainingOptions& options);

}  // namespace xf::tools
