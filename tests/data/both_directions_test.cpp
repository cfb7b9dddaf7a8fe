#include "data/both_directions.h"

#include <algorithm>
#include <cstdlib>

#include "tests/support/catch.h"

using namespace xf;
using namespace xf::data;
using Ids = std::vector<int32_t>;

namespace {

constexpr int32_t kPairs = 2000;

// Pair i: source {i}, target {-i, -i}.
ParallelCorpus example() {
  ParallelCorpus corpus;
  for (int32_t i = 1; i <= kPairs; ++i) {
    corpus.source.push_back(Ids{i});
    corpus.target.push_back(Ids{-i, -i});
    corpus.lines.push_back(i);
  }
  return corpus;
}

// Which pairs an epoch reverses; that each is whole is checked.
std::vector<bool> reversed(uint64_t seed, int64_t epoch) {
  const ParallelCorpus corpus = half_reversed(example(), seed, epoch);
  REQUIRE(corpus.size() == kPairs);
  std::vector<bool> result;
  for (int64_t i = 0; i < kPairs; ++i) {
    const auto pair = static_cast<int32_t>(i) + 1;
    CHECK(corpus.line(i) == pair);
    result.push_back(corpus.source[i] == Ids{-pair, -pair});
    CHECK(corpus.source[i] == (result.back() ? Ids{-pair, -pair} : Ids{pair}));
    CHECK(corpus.target[i] == (result.back() ? Ids{pair} : Ids{-pair, -pair}));
  }
  return result;
}

}  // namespace

TEST_CASE("Both directions: in two epochs each pair is read once in either", "[unit]") {
  for (const int64_t epoch : {0, 6}) {
    const std::vector<bool> first = reversed(1, epoch), second = reversed(1, epoch + 1);
    for (size_t i = 0; i < first.size(); ++i) CHECK(first[i] != second[i]);
    // Binomial: six standard deviations of 22.
    CHECK(std::abs(std::ranges::count(first, true) - kPairs / 2) < 6 * 22);
  }
}

TEST_CASE("Both directions: which ones depends on seed and epoch and on nothing else", "[unit]") {
  CHECK(reversed(1, 4) == reversed(1, 4));
  CHECK(reversed(1, 4) != reversed(2, 4));
  CHECK(reversed(1, 4) != reversed(1, 2));
}
