#include "data/smiles/score.h"

#include <algorithm>
#include <unordered_set>

#include "data/smiles/reader.h"
#include "data/smiles/writer.h"

namespace xf::data {

SmilesScore score_smiles(const std::vector<std::string>& lines, const std::vector<std::string>* train) {
  SmilesScore score;
  score.lines = static_cast<int64_t>(lines.size());
  std::unordered_set<std::string> molecules, known;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto [molecule, fault] = smiles::read_smiles(lines[i]);
    if (fault.empty()) {
      molecules.insert(smiles::canonical_smiles(molecule));
    } else {
      score.faults.push_back({i, fault});
    }
  }
  score.valid = score.lines - static_cast<int64_t>(score.faults.size());
  score.unique = static_cast<int64_t>(molecules.size());
  if (train == nullptr) return score;
  for (const std::string& line : *train) {
    if (const auto [molecule, fault] = smiles::read_smiles(line); fault.empty())
      known.insert(smiles::canonical_smiles(molecule));
  }
  score.novel =
      std::ranges::count_if(molecules, [&](const std::string& text) { return !known.contains(text); });
  return score;
}

}  // namespace xf::data
