#include "tests/support/folders.h"

namespace xf::tests {

std::string source_folder() { return XFORMER_SOURCE_DIR; }
std::string programs_folder() { return XFORMER_PROGRAMS; }

}  // namespace xf::tests
