#include "data/line_sample.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.h"

namespace xf::data {
namespace {

constexpr uint64_t kSampleStream = 0x73616d70;  // "samp": a sequence that no other use of the seed
                                                // shares

}  // namespace

LineSample::LineSample(int64_t most, uint64_t seed)
    : most_(static_cast<size_t>(most)), random_(seed, kSampleStream) {
  XF_CHECK(most > 0, "sample: of {} lines", most);
}

void LineSample::add(const std::string& source, const std::string& target) {
  const int64_t number = seen_++;
  if (pairs_.size() < most_) {
    pairs_.push_back({number, source, target});
    return;
  }
  XF_CHECK(seen_ <= std::numeric_limits<uint32_t>::max(), "sample: of more than 2^32 lines");
  const size_t place = random_.below(static_cast<uint32_t>(seen_));
  if (place >= most_) return;
  Pair& pair = pairs_[place];
  pair.number = number;
  pair.source = source;
  pair.target = target;
}

std::vector<LineSample::Pair> LineSample::take() {
  std::ranges::sort(pairs_, {}, &Pair::number);
  return std::exchange(pairs_, {});
}

}  // namespace xf::data
