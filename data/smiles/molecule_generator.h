// Random molecules. One grows from a fragment, to which others are bonded where a valence is free:
//
//   molecule  =  fragment { bond fragment }                4 to 16 atoms; the last ring may exceed them
//   fragment  =  atom | ring | aromatic ring of six | aromatic ring of five
//   atom      =  C | N | O | S | F | Cl | Br
//   ring      =  3 to 6 atoms, C but for at most one N, O or S, and perhaps one double bond
//   six       =  c but for at most two n;   five = four c and an o or s
//   bond      =  single, or where both atoms have room double or triple
//
// Only carbon is bonded to atoms other than carbon. What comes out is what the grammar can say, and
// no claim that anybody could make it.
#pragma once

#include "core/philox.h"
#include "data/smiles/molecule.h"

namespace xf::data::smiles {

class MoleculeGenerator {
 public:
  explicit MoleculeGenerator(PhiloxSequence random) : random_(random) {}

  Molecule molecule();

  // 0 .. count-1 in random order: ranks for write_smiles().
  std::vector<size_t> permutation(size_t count);

 private:
  bool chance(uint32_t percent) { return random_.below(100) < percent; }
  size_t below(size_t count) { return random_.below(static_cast<uint32_t>(count)); }

  Molecule fragment();
  Molecule single_atom();
  Molecule ring();
  Molecule six_ring();
  Molecule five_ring();
  bool attach(Molecule& molecule, const Molecule& fragment);

  PhiloxSequence random_;
};

}  // namespace xf::data::smiles
