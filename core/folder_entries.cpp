#include "core/folder_entries.h"

#include <system_error>

#include "core/error.h"

namespace xf {

namespace fs = std::filesystem;

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    entries.push_back(*entry);
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    fail(ErrorKind::resources, "{}: cannot list the folder: {}; fix that, and run the same command again",
         folder.string(), error.message());
  return entries;
}

}  // namespace xf
