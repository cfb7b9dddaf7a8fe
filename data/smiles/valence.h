// Whether a graph of atoms can be a molecule.
#pragma once

#include <string>

#include "data/smiles/molecule.h"

namespace xf::data::smiles {

// Whether one of an aromatic atom's bonds in the ring must be a double one, when the aromatic bonds
// are written as single and double ones in turn (a Kekulé structure). Boron, carbon, nitrogen and
// phosphorus need one where their lowest valence leaves room for it, and nitrogen with three
// neighbours, oxygen and sulphur give a pair of electrons instead.
bool needs_double_bond(const Atom& atom);

// Whether a path of aromatic bonds leads from `from` to `to` without the bond between the two: if
// not, the bond is in no ring of aromatic bonds.
bool in_aromatic_ring(const Molecule& molecule, size_t from, size_t to);

// Of an atom of a molecule without fault: what its smallest sufficient valence leaves, as
// OpenSMILES says for atoms without brackets. Valences of one element are 2 apart; an aromatic atom
// has the lowest.
int hydrogens(const Atom& atom);

// Why it cannot; "" if it can. The rules, after OpenSMILES' sections on valence and aromaticity:
//   every aromatic atom lies in a ring of aromatic bonds, and every aromatic bond too;
//   the aromatic bonds have a Kekulé structure: a double bond for each atom that needs one, none
//   for the others; with it, no atom's bonds add up to more than its largest valence.
std::string chemical_fault(const Molecule& molecule);

}  // namespace xf::data::smiles
