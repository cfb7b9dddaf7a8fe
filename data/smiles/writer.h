// Molecules to SMILES strings. A molecule has many: one for each atom to begin with and each order
// of its branches.
#pragma once

#include <string>
#include <vector>

#include "data/smiles/molecule.h"

namespace xf::data::smiles {

// Begins with the atom of rank 0, and at each atom goes on to its neighbours by rank; the last of
// them is not in parentheses. A ring has the lowest number that is free. `ranks`: of each atom,
// every number from 0 once. The molecule has at least one atom and is of one part. read_smiles() of
// the string gives it back but for the atoms' numbers.
std::string write_smiles(const Molecule& molecule, const std::vector<size_t>& ranks);

// By canonical_ranks(): one string for each molecule.
std::string canonical_smiles(const Molecule& molecule);

}  // namespace xf::data::smiles
