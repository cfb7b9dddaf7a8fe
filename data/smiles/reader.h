// SMILES strings to molecules, by OpenSMILES (Craig A. James et al., version 1.0 of 2016,
// opensmiles.org), as far as a string needs no brackets:
//
//   chain  =  atom rings branches { bond atom rings branches }
//   atom   =  B | C | N | O | P | S | F | Cl | Br | I | b | c | n | o | p | s
//   bond   =  "" | - | = | # | :      "" between two aromatic atoms is an aromatic bond if it lies in a ring of such bonds,
//                                     otherwise a single one, as in c1ccccc1c1ccccc1
//   rings  =  { bond (digit | % digit digit) }       twice the same number: a bond; then the number is free again
//   branches = { "(" bond chain ")" }
//
// Not read, and told apart from a fault: brackets (charges, isotopes, hydrogen by number, other
// elements), the quadruple bond $, stereochemistry, molecules of several parts, the unknown atom *,
// ring numbers from 100 on; and more than kMostAtoms, so that what recurses over a molecule has an
// end.
#pragma once

#include <string>
#include <string_view>

#include "data/smiles/molecule.h"

namespace xf::data::smiles {

inline constexpr size_t kMostAtoms = 1000;

struct ReadMolecule {
  Molecule molecule;
  std::string fault;    // why the string is no molecule, beginning with the place; "" if it is one
  bool unread = false;  // the fault is ours: OpenSMILES has what stands there, and this reader does
                        // not know
                        // it
};

// Grammar, and then chemical_fault() (data/smiles/valence.h). The text is UTF-8; a fault counts its
// bytes from 1.
ReadMolecule read_smiles(std::string_view text);

}  // namespace xf::data::smiles
