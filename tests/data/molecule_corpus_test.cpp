// The corpus of molecules: what it promises to those who train on it.
#include <algorithm>
#include <map>
#include <set>

#include "data/smiles/corpus.h"
#include "data/smiles/reader.h"
#include "data/smiles/writer.h"
#include "data/text_file.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

namespace {

using namespace xf::data;

const MoleculeCorpus& corpus() {
  static const MoleculeCorpus made = make_molecule_corpus();
  return made;
}

}  // namespace

TEST_CASE("Molecule corpus: 20,000 + 1,000 + 1,000 molecules, all valid, both strings of one", "[unit]") {
  CHECK(corpus().train.size() == kTrainMolecules);
  CHECK(corpus().valid.size() == kHeldOutMolecules);
  CHECK(corpus().test.size() == kHeldOutMolecules);
  for (const auto* part : {&corpus().train, &corpus().valid, &corpus().test}) {
    for (const auto& [random, canonical] : *part) {
      const auto [molecule, fault, unread] = smiles::read_smiles(random);
      if (!fault.empty() || smiles::canonical_smiles(molecule) != canonical) FAIL(random << ' ' << fault);
    }
  }
}

TEST_CASE("Molecule corpus: no molecule is there twice, no held-out string in the training text", "[unit]") {
  std::set<std::string> canonical, train;
  for (const auto* part : {&corpus().train, &corpus().valid, &corpus().test})
    for (const auto& pair : *part) CHECK(canonical.insert(pair.second).second);
  for (const auto& pair : corpus().train) train.insert(pair.first);
  for (const auto* part : {&corpus().valid, &corpus().test})
    for (const auto& pair : *part) CHECK_FALSE(train.contains(pair.first));
}

TEST_CASE("Molecule corpus: it has everything that a string can have", "[unit]") {
  std::map<char, int64_t> lines;
  int64_t copies = 0;
  for (const auto& [random, canonical] : corpus().train) {
    const std::set<char> characters(canonical.begin(), canonical.end());
    for (const char c : characters) ++lines[c];
    copies += random == canonical;
  }
  for (const char c : std::string("()12=#-CNOSFlBrcnos")) {
    INFO(c);
    CHECK(lines[c] > static_cast<int64_t>(kTrainMolecules) / 200);
  }
  CHECK(copies < static_cast<int64_t>(kTrainMolecules) / 10);  // to copy its source is no way to
                                                               // find the
                                                               // target
}

TEST_CASE("Molecule corpus: a seed gives the same corpus, another seed another one", "[unit]") {
  const MoleculeCorpus again = make_molecule_corpus();
  CHECK(again.train == corpus().train);
  CHECK(again.test == corpus().test);
  CHECK(make_molecule_corpus(2).train != corpus().train);
}

TEST_CASE("write_molecule_corpus: six files, one string a line", "[unit]") {
  const xf::tests::TemporaryFolder folder;
  write_molecule_corpus(folder / "corpus");
  for (const auto& [name, pairs] :
       {std::pair{"train", &corpus().train}, {"valid", &corpus().valid}, {"test", &corpus().test}}) {
    const auto random = read_lines((folder / "corpus/") + name + ".random.smi"),
               canonical = read_lines((folder / "corpus/") + name + ".smi");
    REQUIRE(random.size() == pairs->size());
    REQUIRE(canonical.size() == pairs->size());
    CHECK(random.back() == pairs->back().first);
    CHECK(canonical.back() == pairs->back().second);
  }
}
