#include "core/error.h"

#include <string>

#include "tests/support/catch.h"

TEST_CASE("Errors: a message that quotes zero bytes is whole", "[unit]") {
  const std::string zeros("a\0\0b", 4);
  CHECK(xf::Error(xf::ErrorKind::data, "f: '" + zeros + "' is none").what() ==
        std::string("f: 'a\\x00\\x00b' is none"));
}
