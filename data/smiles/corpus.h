// A corpus of molecules that the project makes itself (data/smiles/molecule_generator.h), each
// written twice: its canonical string, for a language model, and a string that begins at a random
// atom with branches in random order, from which a translation model can learn to find the
// canonical one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "data/demo/pair_files.h"

namespace xf::data {

inline constexpr size_t kTrainMolecules = 20000;
inline constexpr size_t kHeldOutMolecules = 1000;  // validation, and as many for the test

struct MoleculeCorpus {
  SentencePairs train, valid, test;  // random string, canonical string; no molecule is there twice
};

// The same seed gives the same corpus everywhere.
MoleculeCorpus make_molecule_corpus(uint64_t seed = 1);

// Writes train.smi and train.random.smi, valid..., test... into `folder`, which is made if it is
// missing; files of these names are replaced. Throws Error(resources) if that fails.
void write_molecule_corpus(const std::string& folder, uint64_t seed = 1);

}  // namespace xf::data
