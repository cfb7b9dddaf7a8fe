#include "data/smiles/valence.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "data/smiles/matching.h"

namespace xf::data::smiles {
namespace {

std::string ring_fault(const Molecule& molecule) {
  for (size_t i = 0; i < molecule.atoms.size(); ++i) {
    const Atom& atom = molecule.atoms[i];
    if (!atom.aromatic) continue;
    bool in_ring = false;
    for (const auto& [next, order] : atom.neighbours) {
      if (order != BondOrder::aromatic) continue;
      if (!in_aromatic_ring(molecule, i, next)) return "an aromatic bond is in no ring of aromatic bonds";
      in_ring = true;
    }
    if (!in_ring) return "an aromatic atom is in no ring of aromatic bonds";
  }
  return "";
}

// Whether the atoms that need a double bond can be paired along aromatic bonds.
bool has_kekule_structure(const Molecule& molecule) {
  std::vector<size_t> numbers(molecule.atoms.size());  // among the atoms that need a double bond
  size_t needing = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = needing;
    needing += needs_double_bond(molecule.atoms[i]) ? 1 : 0;
  }
  std::vector<std::vector<size_t>> partners(needing);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!needs_double_bond(molecule.atoms[i])) continue;
    for (const auto& [next, order] : molecule.atoms[i].neighbours) {
      if (order == BondOrder::aromatic && needs_double_bond(molecule.atoms[next]))
        partners[numbers[i]].push_back(numbers[next]);
    }
  }
  return has_perfect_matching(partners);
}

}  // namespace

bool in_aromatic_ring(const Molecule& molecule, size_t from, size_t to) {
  std::vector<bool> reached(molecule.atoms.size(), false);
  std::vector<size_t> open = {from};
  reached[from] = true;
  while (!open.empty()) {
    const size_t atom = open.back();
    open.pop_back();
    for (const auto& [next, order] : molecule.atoms[atom].neighbours) {
      if (order != BondOrder::aromatic || reached[next] || (atom == from && next == to)) continue;
      if (next == to) return true;
      reached[next] = true;
      open.push_back(next);
    }
  }
  return false;
}

bool needs_double_bond(const Atom& atom) {
  return atom.aromatic && bond_sum(atom) < facts(atom.element).lowest_valence && atom.element != Element::O &&
         atom.element != Element::S;
}

int hydrogens(const Atom& atom) {
  const int sum = bond_sum(atom) + (needs_double_bond(atom) ? 1 : 0);
  int valence = facts(atom.element).lowest_valence;
  while (!atom.aromatic && valence < sum) valence += 2;
  return std::max(valence - sum, 0);
}

std::string chemical_fault(const Molecule& molecule) {
  for (const Atom& atom : molecule.atoms) {
    const int sum = bond_sum(atom) + (needs_double_bond(atom) ? 1 : 0);
    if (sum > facts(atom.element).largest_valence) {
      return fmt::format("the bonds of {} add up to {}, and {} is its largest valence",
                         atom.aromatic ? facts(atom.element).aromatic : facts(atom.element).symbol, sum,
                         facts(atom.element).largest_valence);
    }
  }
  if (std::string fault = ring_fault(molecule); !fault.empty()) return fault;
  return has_kekule_structure(molecule) ? "" : "its aromatic bonds have no Kekulé structure";
}

}  // namespace xf::data::smiles
