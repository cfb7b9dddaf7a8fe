#include "data/score/shift_search.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace xf::data {
namespace {

constexpr size_t kMaxShiftSize = 10;
constexpr size_t kMaxShiftDistance = 50;
constexpr int64_t kMaxCandidates = 1000;  // over all rounds of a segment

// Which words are wrong, and beside which word of the hypothesis (-1: before the first) each of the reference stands.
struct Alignment {
  std::vector<bool> hypothesis_wrong, reference_wrong;
  std::vector<int64_t> place;
};

Alignment align(const std::vector<Edit>& path) {
  Alignment alignment;
  for (const Edit edit : path) {
    const bool wrong = edit != Edit::keep;
    if (edit != Edit::insert) alignment.hypothesis_wrong.push_back(wrong);
    if (edit == Edit::erase) continue;
    alignment.reference_wrong.push_back(wrong);
    alignment.place.push_back(static_cast<int64_t>(alignment.hypothesis_wrong.size()) - 1);
  }
  return alignment;
}

bool any_wrong(const std::vector<bool>& wrong, size_t begin, size_t length) {
  const auto first = wrong.begin() + static_cast<std::ptrdiff_t>(begin);
  return std::find(first, first + static_cast<std::ptrdiff_t>(length), true) !=
         first + static_cast<std::ptrdiff_t>(length);
}

// Words [begin, begin + length) go before the word that is at `target`; a target within them or just behind them moves
// them on by its distance from `begin`.
Words shifted(const Words& words, size_t begin, size_t length, size_t target) {
  Words result = words;
  const auto at = [&](size_t i) { return result.begin() + static_cast<std::ptrdiff_t>(i); };
  if (target < begin) {
    std::rotate(at(target), at(begin), at(begin + length));
  } else {
    const size_t stop = target > begin + length ? target : std::min(target + length, words.size());
    std::rotate(at(begin), at(begin + length), at(stop));
  }
  return result;
}

// One round: all shifts of the hypothesis that may help, the best of which is kept.
class ShiftSearch {
 public:
  ShiftSearch(const BeamEditDistance& distance, int64_t checked)
      : distance_(distance), alignment_(align(distance.path())), checked_(checked) {}

  void run() {
    const size_t n = distance_.hypothesis().size(), m = distance_.reference().size();
    for (size_t h = 0; h < n; ++h) {
      const size_t first = h - std::min(h, kMaxShiftDistance), last = std::min(m, h + kMaxShiftDistance + 1);
      for (size_t r = first; r < last; ++r) {
        if (!try_runs(h, r)) return;
      }
    }
  }

  int64_t gain() const { return std::get<0>(best_rank_); }
  int64_t checked() const { return checked_; }
  Words take_best() { return std::move(best_); }

 private:
  // The larger is the better: edits saved, then length, then how far to the left it begins and goes to.
  using Rank = std::tuple<int64_t, size_t, int64_t, int64_t>;

  // Every run of equal words that begins at `h` and `r`. False when the candidates are used up.
  bool try_runs(size_t h, size_t r) {
    const Words &hypothesis = distance_.hypothesis(), &reference = distance_.reference();
    const size_t longest = std::min({kMaxShiftSize, hypothesis.size() - h, reference.size() - r});
    for (size_t length = 1; length <= longest; ++length) {
      if (hypothesis[h + length - 1] != reference[r + length - 1]) break;
      if (!is_useful(h, r, length)) continue;
      try_targets(h, r, length);
      if (checked_ >= kMaxCandidates) return false;
    }
    return true;
  }

  // Something is wrong on both sides, and the run does not stand there already.
  bool is_useful(size_t h, size_t r, size_t length) const {
    const auto begin = static_cast<int64_t>(h), end = static_cast<int64_t>(h + length);
    return any_wrong(alignment_.hypothesis_wrong, h, length) &&
           any_wrong(alignment_.reference_wrong, r, length) &&
           !(alignment_.place[r] >= begin && alignment_.place[r] < end);
  }

  // Behind the word that each word of the reference's run, and the one before it, is aligned with.
  void try_targets(size_t h, size_t r, size_t length) {
    int64_t previous = -1;
    for (size_t word = r; word <= r + length; ++word) {
      const int64_t target = word == 0 ? 0 : alignment_.place[word - 1] + 1;
      if (target != previous) try_shift(h, length, static_cast<size_t>(target));
      previous = target;
    }
  }

  void try_shift(size_t begin, size_t length, size_t target) {
    Words words = shifted(distance_.hypothesis(), begin, length, target);
    const int64_t gain = distance_.distance() - distance_.distance_of(words, std::min(begin, target));
    const Rank rank{gain, length, -static_cast<int64_t>(begin), -static_cast<int64_t>(target)};
    if (best_.empty() || rank > best_rank_) {
      best_rank_ = rank;
      best_ = std::move(words);
    }
    ++checked_;
  }

  const BeamEditDistance& distance_;
  Alignment alignment_;
  int64_t checked_;
  Words best_;
  Rank best_rank_{0, 0, 0, 0};
};

}  // namespace

int64_t edits_with_shifts(Words hypothesis, const Words& reference) {
  if (reference.empty()) return static_cast<int64_t>(hypothesis.size());
  int64_t shifts = 0, checked = 0;
  for (;;) {
    const BeamEditDistance distance(hypothesis, reference);
    ShiftSearch search(distance, checked);
    search.run();
    checked = search.checked();
    // The shift of the round in which the candidates ran out is not made.
    if (checked >= kMaxCandidates || search.gain() <= 0) return shifts + distance.distance();
    ++shifts;
    hypothesis = search.take_best();
  }
}

}  // namespace xf::data
