#include "data/smiles/canonical.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/smiles/valence.h"

namespace xf::data::smiles {
namespace {

using Keys = std::vector<std::vector<size_t>>;  // of each atom, compared from the left

// The number of different keys below each one, so that equal keys have equal ranks and ranks have
// no gaps.
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

Keys first_keys(const Molecule& molecule) {
  Keys keys;
  for (const Atom& atom : molecule.atoms) {
    keys.push_back({atom.neighbours.size(), static_cast<size_t>(atom.element), atom.aromatic ? 1u : 0u,
                    static_cast<size_t>(bond_sum(atom))});
  }
  return keys;
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

// Atoms of the lowest rank that several have. Of those that are bonded to the same atoms, which a
// swap exchanges, one.
std::vector<size_t> tied_atoms(const Molecule& molecule, const std::vector<size_t>& ranks) {
  std::vector<size_t> atoms_of(classes(ranks), 0);
  for (const size_t rank : ranks) ++atoms_of[rank];
  const auto tied = static_cast<size_t>(
      std::ranges::find_if(atoms_of, [](size_t count) { return count > 1; }) - atoms_of.begin());
  std::vector<size_t> atoms;
  std::set<std::vector<std::pair<size_t, BondOrder>>> known;
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] != tied) continue;
    std::vector<std::pair<size_t, BondOrder>> around;
    for (const auto& [next, order] : molecule.atoms[i].neighbours) around.emplace_back(next, order);
    std::ranges::sort(around);
    if (known.insert(std::move(around)).second) atoms.push_back(i);
  }
  return atoms;
}

// `chosen` goes before the others of its rank.
std::vector<size_t> with_first(const Molecule& molecule, const std::vector<size_t>& ranks, size_t chosen) {
  Keys keys;
  for (size_t i = 0; i < ranks.size(); ++i) keys.push_back({ranks[i], i == chosen ? 0u : 1u});
  return refined(molecule, ranks_of(keys));
}

// What the ranks tell of the molecule, however its atoms are numbered.
Keys bonds_by_rank(const Molecule& molecule, const std::vector<size_t>& ranks) {
  Keys bonds;
  for (size_t i = 0; i < ranks.size(); ++i) {
    for (const auto& [next, order] : molecule.atoms[i].neighbours)
      bonds.push_back({ranks[i], ranks[next], static_cast<size_t>(order)});
  }
  std::ranges::sort(bonds);
  return bonds;
}

std::vector<size_t> with_tie_broken(const Molecule& molecule, const std::vector<size_t>& ranks) {
  constexpr size_t kMostWork =
      20000;  // atoms tried times atoms: any cage of 100, and no chain of 1,000 for minutes
  const std::vector<size_t> atoms = tied_atoms(molecule, ranks);
  std::vector<size_t> best = with_first(molecule, ranks, atoms[0]);
  if (atoms.size() == 1 || atoms.size() * ranks.size() > kMostWork) return best;
  Keys bonds = bonds_by_rank(molecule, best);
  for (size_t i = 1; i < atoms.size(); ++i) {
    std::vector<size_t> other = with_first(molecule, ranks, atoms[i]);
    Keys others = bonds_by_rank(molecule, other);
    if (others < bonds) best = std::move(other), bonds = std::move(others);
  }
  return best;
}

std::vector<size_t> ranks_from(const Molecule& molecule, const Keys& first) {
  std::vector<size_t> ranks = refined(molecule, ranks_of(first));
  while (classes(ranks) < ranks.size()) ranks = with_tie_broken(molecule, ranks);
  return ranks;
}

}  // namespace

std::vector<size_t> canonical_ranks(const Molecule& molecule) {
  return ranks_from(molecule, first_keys(molecule));
}

std::string molecule_key(const Molecule& molecule) {
  Molecule skeleton = molecule;
  Keys keys;
  for (const Atom& atom : molecule.atoms) {
    keys.push_back(
        {atom.neighbours.size(), static_cast<size_t>(atom.element), static_cast<size_t>(hydrogens(atom))});
  }
  for (Atom& atom : skeleton.atoms) {
    for (Neighbour& next : atom.neighbours) next.order = BondOrder::one;
  }
  const std::vector<size_t> ranks = ranks_from(skeleton, keys);
  std::vector<std::string> atoms(ranks.size());
  for (size_t i = 0; i < ranks.size(); ++i) {
    std::vector<size_t> before;
    for (const auto& [next, order] : molecule.atoms[i].neighbours) {
      if (ranks[next] < ranks[i]) before.push_back(ranks[next]);
    }
    std::ranges::sort(before);
    const Atom& atom = molecule.atoms[i];
    atoms[ranks[i]] =
        fmt::format("{}H{}:{}", facts(atom.element).symbol, hydrogens(atom), fmt::join(before, ","));
  }
  return fmt::format("{}", fmt::join(atoms, " "));
}

}  // namespace xf::data::smiles
