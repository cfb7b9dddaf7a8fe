#include "core/json_depth.h"

#include <string>

#include "tests/support/catch.h"

using xf::is_too_deep_json;

TEST_CASE("JSON depth: brackets count as far as they lie in each other, and not in strings", "[unit]") {
  const std::string open(100'000, '['), pairs = "[[{}],[{}]]";
  CHECK(is_too_deep_json(open));
  CHECK(is_too_deep_json("{\"a\": " + open));
  CHECK_FALSE(is_too_deep_json("{\"" + open + "\\\"" + open + "\": 1}"));
  std::string wide = "[";
  for (int i = 0; i < 1000; ++i) wide += pairs + ",";
  CHECK_FALSE(is_too_deep_json(wide + "1]"));
  CHECK_FALSE(is_too_deep_json(""));
}
