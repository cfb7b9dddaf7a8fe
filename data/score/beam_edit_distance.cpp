#include "data/score/beam_edit_distance.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace xf::data {
namespace {

constexpr int32_t kUnreached = 1 << 30;
constexpr double kBeam = 25;

}  // namespace

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

}  // namespace xf::data
