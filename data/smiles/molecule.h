// A molecule as a graph of atoms and bonds. Hydrogen is not in it: an atom has as many as its
// valence leaves room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace xf::data::smiles {

// OpenSMILES' organic subset: what may stand without brackets.
enum class Element : uint8_t { B, C, N, O, P, S, F, Cl, Br, I };

struct ElementFacts {
  std::string_view symbol;    // of an atom that is not aromatic
  std::string_view aromatic;  // "" if it never is
  int lowest_valence, largest_valence;
};

// By Element. OpenSMILES gives nitrogen a valence of 5 as well, for CN(=O)=O; most programs now
// refuse that, and so do we.
inline constexpr ElementFacts kElements[] = {
    {"B", "b", 3, 3}, {"C", "c", 4, 4}, {"N", "n", 3, 3}, {"O", "o", 2, 2}, {"P", "p", 3, 5},
    {"S", "s", 2, 6}, {"F", "", 1, 1},  {"Cl", "", 1, 1}, {"Br", "", 1, 1}, {"I", "", 1, 1},
};
inline const ElementFacts& facts(Element element) { return kElements[static_cast<size_t>(element)]; }

enum class BondOrder : uint8_t { one = 1, two, three, aromatic };

struct Neighbour {
  size_t atom;
  BondOrder order;
};

struct Atom {
  Element element;
  bool aromatic;
  std::vector<Neighbour> neighbours;  // each bond is in the lists of both its atoms
};

struct Molecule {
  std::vector<Atom> atoms;

  // The number of the new atom.
  size_t add(Element element, bool aromatic = false) {
    atoms.push_back({element, aromatic, {}});
    return atoms.size() - 1;
  }
  // a and b are different, and not bonded yet.
  void bond(size_t a, size_t b, BondOrder order = BondOrder::one) {
    atoms[a].neighbours.push_back({b, order});
    atoms[b].neighbours.push_back({a, order});
  }
  // Of the bond of a and b, which are bonded.
  void set_order(size_t a, size_t b, BondOrder order) {
    for (Neighbour& neighbour : atoms[a].neighbours) {
      if (neighbour.atom == b) neighbour.order = order;
    }
    for (Neighbour& neighbour : atoms[b].neighbours) {
      if (neighbour.atom == a) neighbour.order = order;
    }
  }
  bool bonded(size_t a, size_t b) const {
    for (const Neighbour& neighbour : atoms[a].neighbours) {
      if (neighbour.atom == b) return true;
    }
    return false;
  }
};

// What an atom's bonds add up to, an aromatic bond counted as one.
inline int bond_sum(const Atom& atom) {
  int sum = 0;
  for (const Neighbour& neighbour : atom.neighbours)
    sum += neighbour.order == BondOrder::aromatic ? 1 : static_cast<int>(neighbour.order);
  return sum;
}

}  // namespace xf::data::smiles
