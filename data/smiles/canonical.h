// An order of a molecule's atoms that depends on the molecule alone, not on how its atoms are numbered.
#pragma once

#include <vector>

#include "data/smiles/molecule.h"

namespace xf::data::smiles {

// Of each atom, every number from 0 once. Atoms are told apart by their number of neighbours, element and bonds, then by
// what their neighbours are, again and again; of atoms that stay alike one is put before the others, which breaks the
// symmetry (Morgan 1965; Weininger, Weininger, Weininger 1989, "SMILES. 2. Algorithm for generation of unique SMILES
// notation"). Ends of chains come first. Where atoms stay alike that no symmetry exchanges the numbering still chooses:
// it takes a cage like cuneane's.
std::vector<size_t> canonical_ranks(const Molecule& molecule);

}  // namespace xf::data::smiles
