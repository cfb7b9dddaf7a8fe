// Several systems beside each other, in the form of sacreBLEU 2.6.0: a grid, or JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/score/resampling.h"

namespace xf::tools {

struct ScoreTable {
  struct Column {
    std::string metric, signature;
    std::vector<data::PairedResult> results;  // one for each system; without a test, scores alone
  };
  struct Trials {
    data::PairedTest test;
    int64_t count;
  };
  std::vector<std::string>
      systems;  // names; where there is a test, the first is what the others are compared with
  std::vector<Column> columns;
  std::optional<Trials> trials = {};  // of the paired test, if there was one
  int width = 1;                      // digits behind the decimal point
};

// The grid, how to read a p-value, and the signatures.
std::string table_as_text(const ScoreTable& table);

// An array of objects. Scores are text of `width` digits; those of a paired test numbers with all
// of theirs.
std::string table_as_json(const ScoreTable& table);

}  // namespace xf::tools
