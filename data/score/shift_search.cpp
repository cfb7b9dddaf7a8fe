#include "data/score/shift_search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace xf::data {
namespace {

// What the last step to a cell was; of equally cheap ones the first here.
enum class Edit : uint8_t {
  keep,        // the words are equal
  substitute,  // a word of the hypothesis for one of the reference
  erase,       // a word of the hypothesis goes
  insert,      // a word of the reference comes
};

// Levenshtein's distance between two lines of words, within a beam around the diagonal of its
// matrix, as Tercom and sacreBLEU 2.6.0 limit it. Row i, column j: the first i words of the
// hypothesis, the first j of the reference.
class BeamEditDistance {
 public:
  BeamEditDistance(Words hypothesis, Words reference);

  int64_t distance() const { return distance_; }
  std::vector<Edit> path() const;  // from the start to the end

  const Words& hypothesis() const { return hypothesis_; }
  const Words& reference() const { return reference_; }

  // The distance of `words`, a permutation of the hypothesis that begins with the same `same`
  // words: the rows of these are not computed again.
  int64_t distance_of(const Words& words, size_t same) const;

 private:
  struct Cell {
    int32_t cost;
    Edit edit;
  };
  struct Row {
    size_t begin = 0;  // the column of the first cell
    std::vector<Cell> cells;
    int32_t cost(size_t column) const;  // kUnreached outside the beam
  };

  void fill_row(size_t i, int32_t word, const Row& above, Row& row) const;
  int64_t end_cost(const Row& last) const { return last.cost(reference_.size()); }

  Words hypothesis_, reference_;
  double slope_;  // columns per row
  size_t beam_;
  std::vector<Row> rows_;
  int64_t distance_ = 0;
};

constexpr int32_t kUnreached = 1 << 30;
constexpr double kBeam = 25;

int32_t BeamEditDistance::Row::cost(size_t column) const {
  return column >= begin && column - begin < cells.size() ? cells[column - begin].cost : kUnreached;
}

BeamEditDistance::BeamEditDistance(Words hypothesis, Words reference)
    : hypothesis_(std::move(hypothesis)), reference_(std::move(reference)) {
  const size_t n = hypothesis_.size(), m = reference_.size();
  slope_ = n == 0 ? 1.0 : static_cast<double>(m) / static_cast<double>(n);
  // Wider where the diagonal is so flat that the beams of two rows would not touch.
  beam_ = static_cast<size_t>(kBeam < slope_ / 2 ? std::ceil(slope_ / 2 + kBeam) : kBeam);
  rows_.resize(n + 1);
  for (size_t j = 0; j <= m; ++j) rows_[0].cells.push_back({static_cast<int32_t>(j), Edit::insert});
  for (size_t i = 1; i <= n; ++i) fill_row(i, hypothesis_[i - 1], rows_[i - 1], rows_[i]);
  distance_ = end_cost(rows_[n]);
}

void BeamEditDistance::fill_row(size_t i, int32_t word, const Row& above, Row& row) const {
  const auto diagonal = static_cast<size_t>(std::floor(static_cast<double>(i) * slope_));
  const size_t columns = reference_.size() + 1;
  const size_t end = i == hypothesis_.size() ? columns : std::min(columns, diagonal + beam_);
  row.begin = diagonal - std::min(diagonal, beam_);
  row.cells.assign(end - row.begin, {kUnreached, Edit::erase});
  for (size_t j = row.begin; j < end; ++j) {
    Cell& cell = row.cells[j - row.begin];
    const auto offer = [&](int32_t cost, Edit edit) {
      if (cost < cell.cost) cell = {cost, edit};
    };
    if (j > 0) {
      const bool equal = word == reference_[j - 1];
      offer(above.cost(j - 1) + (equal ? 0 : 1), equal ? Edit::keep : Edit::substitute);
    }
    offer(above.cost(j) + 1, Edit::erase);
    if (j > 0) offer(row.cost(j - 1) + 1, Edit::insert);
  }
}

int64_t BeamEditDistance::distance_of(const Words& words, size_t same) const {
  Row rows[2];
  const Row* above = &rows_[same];
  for (size_t i = same + 1; i <= words.size(); ++i) {
    fill_row(i, words[i - 1], *above, rows[i % 2]);
    above = &rows[i % 2];
  }
  return end_cost(*above);
}

std::vector<Edit> BeamEditDistance::path() const {
  std::vector<Edit> edits;
  for (size_t i = hypothesis_.size(), j = reference_.size(); i > 0 || j > 0;) {
    const Row& row = rows_[i];
    edits.push_back(row.cells[j - row.begin].edit);
    if (edits.back() != Edit::insert) --i;
    if (edits.back() != Edit::erase) --j;
  }
  std::ranges::reverse(edits);
  return edits;
}

constexpr size_t kMaxShiftSize = 10;
constexpr size_t kMaxShiftDistance = 50;
constexpr int64_t kMaxCandidates = 1000;  // over all rounds of a segment

// Which words are wrong, and beside which word of the hypothesis (-1: before the first) each of the
// reference stands.
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

// Words [begin, begin + length) go before the word that is at `target`; a target within them or
// just behind them moves them on by its distance from `begin`.
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
  // The larger is the better: edits saved, then length, then how far to the left it begins and goes
  // to.
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
