// An order of a molecule's atoms that depends on the molecule alone, not on how its atoms are
// numbered.
#pragma once

#include <string>
#include <vector>

#include "data/smiles/molecule.h"

namespace xf::data::smiles {

// Of each atom, every number from 0 once. Atoms are told apart by their number of neighbours,
// element and bonds, then by what their neighbours are, again and again; of atoms that stay alike
// one is put before the others, which breaks the symmetry (Morgan 1965; Weininger, Weininger,
// Weininger 1989, "SMILES. 2. Algorithm for generation of unique SMILES notation"). Ends of chains
// come first. Which of them goes first where no symmetry exchanges them, as in cuneane's cage, is
// tried out, if they are not too many.
std::vector<size_t> canonical_ranks(const Molecule& molecule);

// A text that two molecules have in common exactly if they are one: atoms, their hydrogens, and who
// is bonded with whom. It does not depend on whether a ring was written aromatic or with double
// bonds, nor on which of its double bonds were written. The molecule has no fault.
std::string molecule_key(const Molecule& molecule);

}  // namespace xf::data::smiles
