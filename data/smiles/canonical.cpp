#include "data/smiles/canonical.h"

#include <algorithm>
#include <map>

namespace xf::data::smiles {
namespace {

using Keys = std::vector<std::vector<size_t>>;  // of each atom, compared from the left

// The number of different keys below each one, so that equal keys have equal ranks and ranks have no gaps.
std::vector<size_t> ranks_of(const Keys& keys) {
  std::map<std::vector<size_t>, size_t> rank;
  for (const auto& key : keys) rank[key] = 0;
  size_t next = 0;
  for (auto& entry : rank) entry.second = next++;
  std::vector<size_t> ranks;
  for (const auto& key : keys) ranks.push_back(rank[key]);
  return ranks;
}

size_t classes(const std::vector<size_t>& ranks) { return *std::ranges::max_element(ranks) + 1; }

std::vector<size_t> first_ranks(const Molecule& molecule) {
  Keys keys;
  for (const Atom& atom : molecule.atoms) {
    keys.push_back({atom.neighbours.size(), static_cast<size_t>(atom.element), atom.aromatic ? 1u : 0u,
                    static_cast<size_t>(bond_sum(atom))});
  }
  return ranks_of(keys);
}

// Atoms of one rank part as long as their neighbours' ranks tell them apart.
std::vector<size_t> refined(const Molecule& molecule, std::vector<size_t> ranks) {
  for (size_t before = 0; before != classes(ranks);) {
    before = classes(ranks);
    Keys keys;
    for (size_t i = 0; i < ranks.size(); ++i) {
      constexpr size_t kOrders = 8;  // more than there are
      std::vector<size_t> around;
      for (const auto& [next, order] : molecule.atoms[i].neighbours)
        around.push_back(ranks[next] * kOrders + static_cast<size_t>(order));
      std::ranges::sort(around);
      around.insert(around.begin(), ranks[i]);
      keys.push_back(std::move(around));
    }
    ranks = ranks_of(keys);
  }
  return ranks;
}

// Of the lowest rank that several atoms have, the first of them goes before the others.
std::vector<size_t> with_tie_broken(const std::vector<size_t>& ranks) {
  std::vector<size_t> atoms_of(classes(ranks), 0);
  for (const size_t rank : ranks) ++atoms_of[rank];
  const auto tied = static_cast<size_t>(
      std::ranges::find_if(atoms_of, [](size_t count) { return count > 1; }) - atoms_of.begin());
  const auto chosen = static_cast<size_t>(std::ranges::find(ranks, tied) - ranks.begin());
  Keys keys;
  for (size_t i = 0; i < ranks.size(); ++i) keys.push_back({ranks[i], i == chosen ? 0u : 1u});
  return ranks_of(keys);
}

}  // namespace

std::vector<size_t> canonical_ranks(const Molecule& molecule) {
  std::vector<size_t> ranks = refined(molecule, first_ranks(molecule));
  while (classes(ranks) < ranks.size()) ranks = refined(molecule, with_tie_broken(ranks));
  return ranks;
}

}  // namespace xf::data::smiles
