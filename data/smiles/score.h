// How good generated molecules are, by the measures of MOSES (Polykovskiy et al. 2020, "Molecular
// Sets"). Strings of one molecule are one: they are compared by data/smiles/canonical.h's key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace xf::data {

struct SmilesFault {
  size_t line;  // from 0
  std::string what;
};

struct SmilesScore {
  int64_t lines = 0;
  int64_t named = 0;                // of them, with more behind the string: a space or a tab, and what
                                    // is taken
                                    // for a name
  int64_t read = 0;                 // those that have nothing in them that the reader does not know
  int64_t valid = 0;                // molecules among these
  int64_t unique = 0;               // different molecules among the valid lines
  std::optional<int64_t> novel;     // and of these not in the training text, if there is one
  std::vector<SmilesFault> faults;  // of the lines that are not valid, or not read
};

// `train`: null, or strings whose molecules are not novel; those that are not valid do not count.
SmilesScore score_smiles(const std::vector<std::string>& lines, const std::vector<std::string>* train);

}  // namespace xf::data
