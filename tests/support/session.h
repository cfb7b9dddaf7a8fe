// Catch's own program, apart from the mains: it takes the compiler longer than any of the tests.
#pragma once

namespace xf::tests {

// Runs the tests that the arguments name; the exit code.
int run_session(int argc, char** argv);

}  // namespace xf::tests
