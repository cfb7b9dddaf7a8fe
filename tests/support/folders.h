// Where tests find the source tree and the programs that they run. Defined in one file, so that no
// other object depends on where the project was checked out.
#pragma once

#include <string>

namespace xf::tests {

std::string source_folder();    // the project's root
std::string programs_folder();  // of the build: xformer-train and the others

}  // namespace xf::tests
