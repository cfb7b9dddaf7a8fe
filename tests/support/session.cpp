#define CATCH_CONFIG_RUNNER
#include "tests/support/session.h"

#include "tests/support/catch.h"

int xf::tests::run_session(int argc, char** argv) { return Catch::Session().run(argc, argv); }
