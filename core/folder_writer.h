// A folder that is there whole or not at all.
#pragma once

#include <functional>
#include <string>

namespace xf {

// Makes FOLDER.tmp, has it filled, forces it to disk and gives it the name of `folder`, which it
// replaces where there is one. Whatever `fill` throws goes on, and FOLDER.tmp, where only a killed
// process can have left it, is removed. Error resources (disk full, no permission) leaves an
// earlier folder as it was; or, where all is done but the new name may not have reached the disk,
// beside the new one.
void write_folder(const std::string& folder, const std::function<void(const std::string& temporary)>& fill);

// What a write_folder() that did not end has left. An earlier folder that had lost its name has it
// again.
void remove_leftovers_of(const std::string& folder);

}  // namespace xf
