#include "tests/support/session.h"

int main(int argc, char** argv) { return xf::tests::run_session(argc, argv); }
