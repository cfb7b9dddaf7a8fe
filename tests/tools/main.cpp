// Of the tests that read configurations as the programs do.
#include "tests/support/session.h"
#include "tools/tutorials/register.h"

int main(int argc, char** argv) {
  xf::tutorials::register_all();
  return xf::tests::run_session(argc, argv);
}
