// Levenshtein's distance between two lines of words, within a beam around the diagonal of its matrix, as Tercom and
// sacreBLEU 2.6.0 limit it. Row i, column j: the first i words of the hypothesis, the first j of the reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace xf::data {

// What the last step to a cell was; of equally cheap ones the first here.
enum class Edit : uint8_t {
  keep,        // the words are equal
  substitute,  // a word of the hypothesis for one of the reference
  erase,       // a word of the hypothesis goes
  insert,      // a word of the reference comes
};

using Words = std::vector<int32_t>;  // equal words have equal numbers

class BeamEditDistance {
 public:
  BeamEditDistance(Words hypothesis, Words reference);

  int64_t distance() const { return distance_; }
  std::vector<Edit> path() const;  // from the start to the end

  const Words& hypothesis() const { return hypothesis_; }
  const Words& reference() const { return reference_; }

  // The distance of `words`, a permutation of the hypothesis that begins with the same `same` words: the rows of these
  // are not computed again.
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

}  // namespace xf::data
