#include "data/smiles/score.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "data/smiles/canonical.h"
#include "data/smiles/reader.h"

namespace xf::data {

namespace {

// A line of a file of SMILES strings may have a name behind the string, apart by a space or a tab.
std::string_view string_of(std::string_view line) { return line.substr(0, line.find_first_of(" \t")); }

}  // namespace

SmilesScore score_smiles(const std::vector<std::string>& lines, const std::vector<std::string>* train) {
  SmilesScore score;
  std::unordered_set<std::string> molecules, known;
  for (const std::string& line : lines) {
    const auto [molecule, fault, unread] = smiles::read_smiles(string_of(line));
    score.named += string_of(line).size() < line.size() ? 1 : 0;
    if (fault.empty()) {
      ++score.valid;
      molecules.insert(smiles::molecule_key(molecule));
    } else {
      score.faults.push_back({static_cast<size_t>(score.lines), fault});
    }
    score.read += unread ? 0 : 1;
    ++score.lines;
  }
  score.unique = static_cast<int64_t>(molecules.size());
  if (train == nullptr) return score;
  for (const std::string& line : *train) {
    const smiles::ReadMolecule read = smiles::read_smiles(string_of(line));
    if (read.fault.empty()) known.insert(smiles::molecule_key(read.molecule));
  }
  score.novel =
      std::ranges::count_if(molecules, [&](const std::string& key) { return !known.contains(key); });
  return score;
}

}  // namespace xf::data
