#include "tools/console/nearest_name.h"
#include "tests/support/catch.h"

namespace xf::tools {
namespace {

TEST_CASE("Edit distance: insertions, deletions, substitutions and swaps cost one each", "[unit]") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("kitten", "sitting") == 3);  // the textbook pair
  CHECK(edit_distance("tyni", "tiny") == 2);
  CHECK(edit_distance("ab", "ba") == 1);
}

TEST_CASE("Nearest name: none is better than a far one", "[unit]") {
  const std::vector<std::string> names = {"learn-rate", "label-smoothing", "beam-size"};
  CHECK(nearest_name("lern-rate", names) == "learn-rate");
  CHECK(nearest_name("bean-sise", names) == "beam-size");
  CHECK(nearest_name("quantise", names).empty());
  CHECK(did_you_mean("quantise", names).empty());
  CHECK(did_you_mean("lern-rate", names, "--") == "; did you mean '--learn-rate'?");
  const std::vector<std::string> many(1000, "a-name-of-thirty-characters-30");
  // at once, and not after an hour
  CHECK(nearest_name(std::string(10'000'000, 'a'), many).empty());
}

}  // namespace
}  // namespace xf::tools
