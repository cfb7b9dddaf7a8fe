// The main of every test program. XF_TEST_DEVICE=cuda asks for the tests of a CUDA device: without
// one they are skipped, and say why; with XF_REQUIRE_CUDA=1 they fail.
#include <cstdlib>
#include <iostream>
#include <string>

#include "core/device.h"
#include "tests/support/session.h"

namespace {

bool is_set(const char* name, const char* value) {
  const char* const found = std::getenv(name);
  return found && std::string(found) == value;
}

}  // namespace

int main(int argc, char** argv) {
  if (is_set("XF_TEST_DEVICE", "cuda")) {
    try {
      xf::choose_device("cuda");
    } catch (const std::exception& error) {
      const bool required = is_set("XF_REQUIRE_CUDA", "1");
      std::cout << (required ? "[failed] " : "[skipped] ") << error.what() << '\n';
      return required ? 1 : 0;
    }
  }
  return xf::tests::run_session(argc, argv);
}
