#include "core/philox.h"

#include <algorithm>
#include <vector>

#include "tests/support/catch.h"

using xf::Philox;
using xf::PhiloxSequence;

namespace {

using Words = std::vector<uint32_t>;

Words at(const Words& counter, uint32_t key0, uint32_t key1) {
  const Philox four = Philox::at(counter[0], counter[1], counter[2], counter[3], key0, key1);
  return {four.x, four.x + 4};
}

}  // namespace

// philox4x32-10 in kat_vectors of the Random123 distribution, by the paper's authors.
TEST_CASE("Philox: the authors' known-answer vectors", "[golden]") {
  constexpr uint32_t kOnes = 0xffffffffu;
  CHECK(at({0, 0, 0, 0}, 0, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(at({kOnes, kOnes, kOnes, kOnes}, kOnes, kOnes) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(at({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("PhiloxSequence: counts {index, stream} under the seed", "[unit]") {
  PhiloxSequence sequence((uint64_t{9} << 32) + 8, (uint64_t{7} << 32) + 6);
  for (const uint32_t index : {0u, 1u, 2u}) {
    for (const uint32_t word : at({index, 0, 6, 7}, 8, 9)) CHECK(sequence.next() == word);
  }
}

TEST_CASE("PhiloxSequence: equal seeds repeat, other seeds and streams differ", "[unit]") {
  const auto first_words = [](uint64_t seed, uint64_t stream) {
    PhiloxSequence sequence(seed, stream);
    Words words(8);
    std::generate(words.begin(), words.end(), [&] { return sequence.next(); });
    return words;
  };
  CHECK(first_words(1, 2) == first_words(1, 2));
  CHECK(first_words(1, 2) != first_words(2, 2));
  CHECK(first_words(1, 2) != first_words(1, 3));
}

// Standard deviations: of the mean 0.289/sqrt(1e5) = 0.0009; of a count of 1e4 expected, about 95.
TEST_CASE("PhiloxSequence: uniform stays below 1 with mean 1/2, below(n) is even over 0..n-1", "[unit]") {
  PhiloxSequence sequence(1, 0);
  double sum = 0;
  float smallest = 1, largest = 0;
  for (int i = 0; i < 100000; ++i) {
    const float u = sequence.uniform();
    sum += static_cast<double>(u);
    smallest = std::min(smallest, u), largest = std::max(largest, u);
  }
  CHECK(smallest >= 0);
  CHECK(largest < 1);
  CHECK(std::abs(sum / 100000 - 0.5) < 5 * 0.0009);
  std::vector<int> counts(10);
  for (int i = 0; i < 100000; ++i) ++counts.at(sequence.below(10));
  for (const int count : counts) CHECK(std::abs(count - 10000) < 5 * 95);
}
