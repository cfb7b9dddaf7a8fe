// Whether a graph of atoms can be a molecule.
#pragma once

#include <string>

#include "data/smiles/molecule.h"

namespace xf::data::smiles {

// Whether one of an aromatic atom's bonds in the ring must be a double one, when the aromatic bonds are written as
// single and double ones in turn (a Kekulé structure). Boron, carbon, nitrogen and phosphorus need one where their
// lowest valence leaves room for it, and nitrogen with three neighbours, oxygen and sulphur give a pair of electrons
// instead.
bool needs_double_bond(const Atom& atom);

// Why it cannot; "" if it can. The rules, after OpenSMILES' sections on valence and aromaticity:
//   every aromatic atom lies in a ring of aromatic bonds, and every aromatic bond too;
//   the aromatic bonds have a Kekulé structure: a double bond for each atom that needs one, none for the others;
//   with it, no atom's bonds add up to more than its largest valence.
std::string chemical_fault(const Molecule& molecule);

}  // namespace xf::data::smiles
