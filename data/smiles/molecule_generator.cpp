#include "data/smiles/molecule_generator.h"

#include <algorithm>
#include <numeric>

#include "data/smiles/valence.h"

namespace xf::data::smiles {
namespace {

constexpr size_t kFewest = 4, kMost = 16;

// What bonds may still be added to an atom. An aromatic ring as the generator makes it is complete:
// a carbon in it has room for one neighbour, an n, o or s for none.
int free_valence(const Atom& atom) {
  return facts(atom.element).lowest_valence - bond_sum(atom) - (needs_double_bond(atom) ? 1 : 0);
}

Molecule ring_of(const std::vector<Element>& elements, bool aromatic) {
  Molecule ring;
  for (const Element element : elements) ring.add(element, aromatic);
  for (size_t i = 0; i < elements.size(); ++i)
    ring.bond(i, (i + 1) % elements.size(), aromatic ? BondOrder::aromatic : BondOrder::one);
  return ring;
}

// `fragment` becomes a part of `molecule`; the number of its first atom there.
size_t insert(Molecule& molecule, const Molecule& fragment) {
  const size_t first = molecule.atoms.size();
  for (Atom atom : fragment.atoms) {
    for (Neighbour& neighbour : atom.neighbours) neighbour.atom += first;
    molecule.atoms.push_back(std::move(atom));
  }
  return first;
}

std::vector<size_t> open_atoms(const Molecule& molecule) {
  std::vector<size_t> open;
  for (size_t i = 0; i < molecule.atoms.size(); ++i) {
    if (free_valence(molecule.atoms[i]) > 0) open.push_back(i);
  }
  return open;
}

}  // namespace

Molecule MoleculeGenerator::single_atom() {
  constexpr Element kAtoms[] = {Element::C, Element::C, Element::C,  Element::C, Element::C, Element::C,
                                Element::N, Element::N, Element::O,  Element::O, Element::O, Element::S,
                                Element::F, Element::F, Element::Cl, Element::Br};
  Molecule molecule;
  molecule.add(kAtoms[below(std::size(kAtoms))]);
  return molecule;
}

Molecule MoleculeGenerator::ring() {
  constexpr Element kOthers[] = {Element::N, Element::O, Element::S};
  std::vector<Element> elements(3 + below(4), Element::C);
  if (chance(50)) elements[0] = kOthers[below(std::size(kOthers))];
  Molecule ring = ring_of(elements, false);
  if (elements.size() > 3 && chance(25))  // between the second atom and the third, which are carbon
    for (const size_t atom : {1, 2})
      for (Neighbour& next : ring.atoms[atom].neighbours)
        if (next.atom == 3 - atom) next.order = BondOrder::two;
  return ring;
}

Molecule MoleculeGenerator::six_ring() {
  std::vector<Element> elements(6, Element::C);
  if (chance(40)) elements[0] = Element::N;
  if (chance(20)) elements[2 + below(3)] = Element::N;
  return ring_of(elements, true);
}

Molecule MoleculeGenerator::five_ring() {
  std::vector<Element> elements(5, Element::C);
  elements[0] = chance(50) ? Element::O : Element::S;
  return ring_of(elements, true);
}

Molecule MoleculeGenerator::fragment() {
  const size_t kind = below(100);
  return kind < 80 ? single_atom() : kind < 87 ? ring() : kind < 96 ? six_ring() : five_ring();
}

// False if there is no place for the fragment.
bool MoleculeGenerator::attach(Molecule& molecule, const Molecule& fragment) {
  const auto places = open_atoms(molecule), handles = open_atoms(fragment);
  const size_t at = places[below(places.size())], handle = handles[below(handles.size())];
  const Atom &old_atom = molecule.atoms[at], &new_atom = fragment.atoms[handle];
  if (old_atom.element != Element::C && new_atom.element != Element::C) return false;
  const int room = std::min(free_valence(old_atom), free_valence(new_atom));
  auto order = BondOrder::one;
  if (room >= 2 && chance(25)) order = room >= 3 && chance(25) ? BondOrder::three : BondOrder::two;
  molecule.bond(at, insert(molecule, fragment) + handle, order);
  return true;
}

Molecule MoleculeGenerator::molecule() {
  const size_t atoms = kFewest + below(kMost - kFewest + 1);
  Molecule molecule = fragment();
  while (molecule.atoms.size() < atoms && !open_atoms(molecule).empty()) attach(molecule, fragment());
  return molecule;
}

std::vector<size_t> MoleculeGenerator::permutation(size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(i)]);  // Fisher, Yates
  return order;
}

}  // namespace xf::data::smiles
