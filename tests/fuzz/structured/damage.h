// Files of other toolkits, whole but for a few of their fields. Bytes that are changed at random
// stay outside of what is packed, checked or counted; here a writer asks for each number and text
// of a format, and some of the answers are others than the honest ones. The same seed gives the
// same file.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace xf::fuzz {

class Damage {
 public:
  // None, and what the writer asks for is counted.
  explicit Damage(uint64_t seed) : random_(seed) {}
  // Of a few of as many `fields`; one file in eight has none.
  Damage(uint64_t seed, size_t fields);

  // The honest number or text, or another.
  uint64_t number(uint64_t honest);
  std::string text(std::string honest);
  double real(double honest);
  // Whether an item is left out, or stands there twice: so many times it is to be written.
  int times();
  // Whether something happens that is none of these.
  bool happens() { return hit(); }

  uint64_t below(uint64_t bound) { return random_() % bound; }
  size_t fields() const { return fields_; }
  bool is_none() const { return hits_.empty(); }

 private:
  bool hit();

  std::mt19937_64 random_;
  size_t fields_ = 0;  // that were asked for
  std::vector<size_t> hits_;
};

inline Damage::Damage(uint64_t seed, size_t fields) : random_(seed) {
  // A stream of its own, so that what is damaged does not depend on how much was drawn before.
  std::mt19937_64 places(seed ^ 0x9e3779b97f4a7c15);
  if (fields == 0 || places() % 8 == 0) return;
  for (uint64_t count = 1 + places() % 3; count > 0; --count) hits_.push_back(places() % fields);
}

inline bool Damage::hit() { return std::ranges::find(hits_, fields_++) != hits_.end(); }

inline uint64_t Damage::number(uint64_t honest) {
  if (!hit()) return honest;
  const uint64_t others[] = {0,
                             1,
                             honest - 1,
                             honest + 1,
                             honest * 2,
                             7,
                             100,
                             8000,
                             65536,
                             1'000'000,
                             uint64_t{1} << 31,
                             (uint64_t{1} << 32) - 1,
                             uint64_t{1} << 32,
                             uint64_t{1} << 62,
                             uint64_t{1} << 63,
                             ~uint64_t{0},
                             below(256),
                             below(1 << 20)};
  return others[below(std::size(others))];
}

inline std::string Damage::text(std::string honest) {
  if (!hit()) return honest;
  switch (below(12)) {
    case 0: return "";
    case 1: return honest + honest;
    case 2: return honest.substr(0, honest.size() / 2);
    case 3: return honest + std::string("\0x", 2);
    case 4: return honest + "\xC3\x28\xFF";
    case 5: return "../" + honest;
    case 6: return "/etc/passwd";
    case 7: return std::string(size_t{1} << below(21), 'a');
    case 8: return std::string(1 + below(100), '[');
    case 9: return "*a";
    case 10: return "\n" + honest + ": {}\t";
    default: return std::string(1, static_cast<char>(below(256)));
  }
}

inline double Damage::real(double honest) {
  if (!hit()) return honest;
  const double others[] = {0,    -1,       1e38,     -1e300, std::numeric_limits<double>::quiet_NaN(),
                           1e-9, INFINITY, -INFINITY};
  return others[below(std::size(others))];
}

inline int Damage::times() {
  if (!hit()) return 1;
  constexpr int kTimes[] = {0, 0, 2, 100};
  return kTimes[below(std::size(kTimes))];
}

// A number as it lies in memory.
template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace xf::fuzz
