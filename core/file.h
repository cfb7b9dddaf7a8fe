// Whole files as bytes, and the one way this project replaces a file: it is either the old one or the new
// one, whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xf {

// All bytes of a regular file. Error data if it is missing, unreadable or a directory.
std::string read_file(const std::string& path);

// Writes `bytes` beside `path`, fsyncs, renames over `path` and fsyncs the folder. Whatever happens in
// between, `path` is never a half-written file. Error resources (disk full, read-only folder, quota) leaves
// the old file as it was.
void atomic_write(const std::string& path, std::string_view bytes);

// The same, for bytes that lie in several places, one after the other.
void atomic_write_pieces(const std::string& path, const std::vector<std::string_view>& pieces);

// Makes a folder's entries (a rename, a new file) survive a power cut. Error resources.
void sync_folder(const std::string& folder);

}  // namespace xf
