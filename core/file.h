// Whole files as bytes, and which files have been read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/file_writer.h"

namespace xf {

// All bytes of a file. Error data if it is missing, unreadable or a directory.
std::string read_file(const std::string& path);

// The same for a file of a folder that somebody else may have made (a model, a run): error data
// also for a pipe or a device, which is not waited for.
std::string read_regular_file(const std::string& path);

// Writes `bytes` as FileWriter does (core/file_writer.h): whatever happens in between, `path` is
// never a half-written file. Error resources (disk full, read-only folder, quota) leaves the old
// file as it was.
void atomic_write(const std::string& path, std::string_view bytes, Existing existing = Existing::followed);

// The same, for bytes that lie in several places, one after the other.
void atomic_write_pieces(const std::string& path, const std::vector<std::string_view>& pieces);

// Makes a folder's entries (a rename, a new file) survive a power cut. Error resources.
void sync_folder(const std::string& folder);

// Error data for the few lines that git leaves in place of a large file where git-lfs is missing.
void refuse_lfs_pointer(std::string_view bytes, const std::string& path);

// Remembers a file as one that this process reads; read_file() does so by itself.
void note_input(int descriptor);

// Forgets them: for a process that goes on, before it does something else. What one call has read
// another may replace.
void forget_inputs();

// Error usage if `path`, "-" for the standard output, is a file that was noted, under whatever
// name: output would destroy it.
void refuse_input_as_output(const std::string& path);

}  // namespace xf
