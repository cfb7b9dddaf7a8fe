// What every program's main() is: a body, and the rules for how it ends.
#pragma once

#include <functional>

namespace xf::tools {

// Runs body(argc, argv), whose result is the exit code. An exception becomes one line "error: ..."
// on the standard error and an exit code: that of an xf::Error's kind, 5 for memory, 1 for the
// rest. Stopped by a signal: 128 + its number. A reader that closes the pipe ends the program
// quietly as SIGPIPE does (141); a standard output that cannot be written (disk full) is exit code
// 5. A standard stream that is closed stays unused.
int run_program(int argc, char** argv, const std::function<int(int, char**)>& body);

}  // namespace xf::tools
