// What lies in a folder.
#pragma once

#include <filesystem>
#include <vector>

namespace xf {

// In no order; none where there is no such folder. Error resources where it cannot be listed: too
// many files are open, or this user may not. What lies there is not known then, and to take it for
// empty would be a mistake.
std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& folder);

}  // namespace xf
