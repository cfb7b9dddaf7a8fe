#include "data/smiles/corpus.h"

#include <unordered_set>

#include "core/philox.h"
#include "data/smiles/molecule_generator.h"
#include "data/smiles/writer.h"

namespace xf::data {
namespace {

constexpr uint64_t kMoleculeStream = 0x6d6f6c65;  // "mole": a sequence that no other use of the
                                                  // seed shares

}  // namespace

MoleculeCorpus make_molecule_corpus(uint64_t seed) {
  smiles::MoleculeGenerator generator(PhiloxSequence(seed, kMoleculeStream));
  std::unordered_set<std::string> known;
  MoleculeCorpus corpus;
  while (corpus.test.size() < kHeldOutMolecules) {
    const smiles::Molecule molecule = generator.molecule();
    std::string canonical = smiles::canonical_smiles(molecule);
    if (!known.insert(canonical).second) continue;
    SentencePairs& part = corpus.train.size() < kTrainMolecules     ? corpus.train
                          : corpus.valid.size() < kHeldOutMolecules ? corpus.valid
                                                                    : corpus.test;
    part.emplace_back(smiles::write_smiles(molecule, generator.permutation(molecule.atoms.size())),
                      std::move(canonical));
  }
  return corpus;
}

void write_molecule_corpus(const std::string& folder, uint64_t seed) {
  const MoleculeCorpus corpus = make_molecule_corpus(seed);
  write_pair_files(folder, {".random.smi", ".smi"},
                   {{"train", &corpus.train}, {"valid", &corpus.valid}, {"test", &corpus.test}});
}

}  // namespace xf::data
