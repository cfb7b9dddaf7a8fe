#include "data/line_sample.h"

#include <map>

#include "tests/support/catch.h"

using namespace xf;
using namespace xf::data;

namespace {

std::vector<int64_t> drawn(int64_t most, int64_t lines, uint64_t seed) {
  LineSample sample(most, seed);
  for (int64_t i = 0; i < lines; ++i) sample.add(std::to_string(i), "-" + std::to_string(i));
  CHECK(sample.seen() == lines);
  std::vector<int64_t> numbers;
  for (const LineSample::Pair& pair : sample.take()) {
    CHECK(pair.source == std::to_string(pair.number));
    CHECK(pair.target == "-" + pair.source);
    numbers.push_back(pair.number);
  }
  CHECK(std::ranges::is_sorted(numbers));
  return numbers;
}

}  // namespace

TEST_CASE("Line sample: all of a short text, in order", "[unit]") {
  CHECK(drawn(3, 3, 1) == std::vector<int64_t>{0, 1, 2});
  CHECK(drawn(5, 2, 1) == std::vector<int64_t>{0, 1});
}

TEST_CASE("Line sample: the seed decides", "[unit]") {
  CHECK(drawn(10, 1000, 1) == drawn(10, 1000, 1));
  CHECK(drawn(10, 1000, 1) != drawn(10, 1000, 2));
}

// Of 6 lines 3 are drawn in 20 ways. 8,000 draws: 400 of each, standard deviation 20.
TEST_CASE("Line sample: each set of lines is as likely as any other", "[unit]") {
  std::map<std::vector<int64_t>, int64_t> times;
  for (uint64_t seed = 0; seed < 8000; ++seed) {
    LineSample sample(3, seed);
    for (int i = 0; i < 6; ++i) sample.add("", "");
    std::vector<int64_t> numbers;
    for (const LineSample::Pair& pair : sample.take()) numbers.push_back(pair.number);
    ++times[numbers];
  }
  CHECK(times.size() == 20);
  for (const auto& [numbers, count] : times) CHECK(std::abs(count - 400) < 100);
}
