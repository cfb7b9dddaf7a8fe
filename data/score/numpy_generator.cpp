#include "data/score/numpy_generator.h"

#include <array>
#include <bit>
#include <limits>

#include "core/error.h"

namespace xf::data {
namespace {

constexpr size_t kPoolWords = 4;

// The hash of SeedSequence: its constant changes with each use.
struct SeedHash {
  uint32_t constant, factor;
  uint32_t operator()(uint32_t word) {
    word ^= constant;
    constant *= factor;
    word *= constant;
    return word ^ (word >> 16);
  }
};

uint32_t mix(uint32_t a, uint32_t b) {
  const uint32_t word = 0xCA01F9DDu * a - 0x4973F715u * b;
  return word ^ (word >> 16);
}

std::array<uint32_t, kPoolWords> entropy_pool(uint64_t seed) {
  SeedHash hash{0x43B0D7E5u, 0x931E8875u};
  std::array<uint32_t, kPoolWords> pool = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  for (uint32_t& word : pool) word = hash(word);
  for (size_t from = 0; from < kPoolWords; ++from) {
    for (size_t to = 0; to < kPoolWords; ++to) {
      if (from != to) pool[to] = mix(pool[to], hash(pool[from]));
    }
  }
  return pool;
}

// Four 64-bit words to seed a generator with.
std::array<uint64_t, 4> seed_words(uint64_t seed) {
  const auto pool = entropy_pool(seed);
  SeedHash hash{0x8B51F9DDu, 0x58F38DEDu};
  std::array<uint64_t, 4> words{};
  for (size_t half = 0; half < 2 * words.size(); ++half) {
    words[half / 2] |= uint64_t{hash(pool[half % kPoolWords])} << (32 * (half % 2));
  }
  return words;
}

}  // namespace

NumpyGenerator::NumpyGenerator(uint64_t seed) {
  const auto words = seed_words(seed);
  const Word128 start = (Word128{words[0]} << 64) | words[1];
  increment_ = (((Word128{words[2]} << 64) | words[3]) << 1) | 1;
  step();
  state_ += start;
  step();
}

void NumpyGenerator::step() {
  constexpr Word128 kMultiplier = (Word128{2549297995355413924u} << 64) | 4865540595714422341u;
  state_ = state_ * kMultiplier + increment_;
}

uint64_t NumpyGenerator::next64() {
  step();
  const auto folded = static_cast<uint64_t>(state_ >> 64) ^ static_cast<uint64_t>(state_);
  return std::rotr(folded, static_cast<int>(state_ >> 122));
}

uint32_t NumpyGenerator::next32() {
  has_half_ = !has_half_;
  if (!has_half_) return high_half_;
  const uint64_t word = next64();
  high_half_ = static_cast<uint32_t>(word >> 32);
  return static_cast<uint32_t>(word);
}

uint32_t NumpyGenerator::below(uint32_t n) {
  XF_CHECK(n > 0, "NumpyGenerator::below: n must be at least 1");
  if (n == 1) return 0;  // NumPy draws nothing where there is no choice
  uint64_t product = uint64_t{next32()} * n;
  const uint32_t biased = (std::numeric_limits<uint32_t>::max() - (n - 1)) % n;
  while (static_cast<uint32_t>(product) < biased) product = uint64_t{next32()} * n;
  return static_cast<uint32_t>(product >> 32);
}

bool NumpyGenerator::coin() {
  if (coins_left_ == 0) {
    coins_ = next32();
    coins_left_ = 32;
  }
  const bool result = (coins_ & 1u) != 0;
  coins_ >>= 1;
  --coins_left_;
  return result;
}

}  // namespace xf::data
