#include "data/smiles/valence.h"

#include <fmt/core.h>

#include <algorithm>

namespace xf::data::smiles {
namespace {

// Whether aromatic bonds lead from `from` to `to` without the bond between them: if not, it is in no ring.
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

// A perfect matching of the atoms that need a double bond, by trying. The atom with the fewest partners left goes
// first: then a ring, once it is entered, leaves no choice.
class Kekule {
 public:
  explicit Kekule(const Molecule& molecule) : molecule_(molecule), open_(molecule.atoms.size()) {
    for (size_t i = 0; i < open_.size(); ++i) open_[i] = needs_double_bond(molecule.atoms[i]);
  }

  bool exists() {
    if (std::ranges::find(open_, true) == open_.end()) return true;
    const size_t atom = most_constrained();
    open_[atom] = false;
    for (const size_t partner : partners(atom)) {
      open_[partner] = false;
      if (exists()) return true;
      open_[partner] = true;
    }
    open_[atom] = true;
    return false;
  }

 private:
  std::vector<size_t> partners(size_t atom) const {
    std::vector<size_t> found;
    for (const auto& [next, order] : molecule_.atoms[atom].neighbours) {
      if (order == BondOrder::aromatic && open_[next]) found.push_back(next);
    }
    return found;
  }

  size_t most_constrained() const {
    size_t best = open_.size(), fewest = 0;
    for (size_t i = 0; i < open_.size(); ++i) {
      if (!open_[i]) continue;
      const size_t count = partners(i).size();
      if (best == open_.size() || count < fewest) best = i, fewest = count;
    }
    return best;
  }

  const Molecule& molecule_;
  std::vector<bool> open_;  // still needs its double bond
};

}  // namespace

bool needs_double_bond(const Atom& atom) {
  return atom.aromatic && bond_sum(atom) < facts(atom.element).lowest_valence && atom.element != Element::O &&
         atom.element != Element::S;
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
  return Kekule(molecule).exists() ? "" : "its aromatic bonds have no Kekulé structure";
}

}  // namespace xf::data::smiles
