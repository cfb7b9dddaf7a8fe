// SMILES: a string that breaks a rule for each rule, molecules out of textbooks, and one string for each molecule.
#include <algorithm>
#include <set>

#include "core/philox.h"
#include "data/smiles/canonical.h"
#include "data/smiles/reader.h"
#include "data/smiles/sampler.h"
#include "data/smiles/score.h"
#include "data/smiles/writer.h"
#include "tests/support/catch.h"

namespace {

using namespace xf::data;
using namespace xf::data::smiles;
using xf::PhiloxSequence;

std::string fault(const std::string& text) { return read_smiles(text).fault; }
std::string canonical(const std::string& text) {
  const auto [molecule, fault] = read_smiles(text);
  INFO(text << ": " << fault);
  REQUIRE(fault.empty());
  return canonical_smiles(molecule);
}

struct BrokenString {
  const char *text, *fault;
};

// Of another form than read_smiles() uses: every bond's order, an aromatic one as 4.
std::multiset<int> bonds(const Molecule& molecule) {
  std::multiset<int> orders;
  for (const Atom& atom : molecule.atoms)
    for (const Neighbour& next : atom.neighbours) orders.insert(static_cast<int>(next.order));
  return orders;
}

}  // namespace

// The rules are those of OpenSMILES' grammar (sections on bonds, branches, rings), each broken alone.
TEST_CASE("SMILES: a string that breaks the grammar is refused with place and reason", "[unit]") {
  const BrokenString kBroken[] = {
      {"", "character 1: no atom"},
      {"CXC", "character 2: is neither"},
      {"C[NH4]", "character 2: is neither"},
      {"C.C", "character 2: is neither"},
      {"C C", "character 2: is neither"},
      {"\u00E4", "character 1: is neither"},
      {"=C", "character 1: a bond must follow an atom"},
      {"C=-C", "character 3: a bond must follow an atom"},
      {"CC=", "character 4: an atom must follow a bond"},
      {"C(C=)C", "character 5: an atom must follow a bond"},
      {"(C)C", "character 1: a branch must follow an atom"},
      {"C=(C)C", "character 3: a branch must follow an atom"},
      {"C((C))C", "character 3: a branch must follow an atom"},
      {"C()C", "character 3: a branch is empty"},
      {"CC)C", "character 3: no branch is open here"},
      {"C(CC", "character 5: a branch is not closed"},
      {"1CC1", "character 1: a ring's number must follow"},
      {"CC(C)1CC1", "character 6: a ring's number must follow"},
      {"C(1CC1)C", "character 3: a ring's number must follow"},
      {"C1CCC", "character 6: ring 1 is not closed"},
      {"C11", "character 3: a ring would join an atom with itself"},
      {"C1C1", "character 4: a ring would join two atoms that are joined already"},
      {"C12CC12", "character 7: a ring would join two atoms that are joined already"},
      {"C=1CCC#1", "character 8: a ring has two different bonds"},
      {"C%1CC", "character 2: two digits follow %"},
      {"C:C", "character 3: an aromatic bond joins aromatic atoms"},
      {"C:1CC1", "character 6: an aromatic bond joins aromatic atoms"},
  };
  CHECK(fault(std::string(kMostAtoms, 'C')).empty());
  CHECK(fault(std::string(kMostAtoms + 1, 'C')) == "character 1001: more than 1000 atoms");
  for (const auto& [text, expected] : kBroken) {
    INFO(text);
    CHECK_THAT(fault(text), Catch::StartsWith(expected));
  }
}

TEST_CASE("SMILES: no atom has more bonds than its valence", "[unit]") {
  // A bond too many for each element; O has two, N three, S at most six.
  for (const char* text : {"C(C)(C)(C)(C)C", "C=C(=C)C", "C#C=C", "O(C)(C)C", "O=O=O", "N(C)(C)(C)C", "C=N#C",
                           "FC(F)(F)(F)F", "ClCl=C", "BrBrC", "CS(=O)(=O)(=O)C", "o1cccc1=C(C)(C)C"}) {
    INFO(text);
    CHECK_THAT(fault(text), Catch::Contains("add up to"));
  }
  for (const char* text :
       {"CC(C)(C)C", "C#C", "C=C=C", "CS(=O)(=O)C", "FS(F)(F)(F)(F)F", "CP(=O)(O)O", "BrCCl", "O"}) {
    INFO(text);
    CHECK(fault(text).empty());
  }
}

// Benzene, pyridine, furan, thiophene, naphthalene, azulene, biphenyl, N-methylpyrrole, N-methylpyridone, toluene,
// N-methylimidazole.
TEST_CASE("SMILES: aromatic atoms lie in rings that can be written with single and double bonds", "[unit]") {
  for (const char* text : {"c1ccccc1", "c1ccncc1", "o1cccc1", "s1cccc1", "c1ccc2ccccc2c1", "c1ccc2cccc2cc1",
                           "c1ccccc1-c1ccccc1", "Cn1cccc1", "O=c1ccccn1C", "Cc1ccccc1", "n1ccn(C)c1"}) {
    INFO(text);
    CHECK(fault(text).empty());
  }
  for (const char* text : {"cc", "c", "Cc(C)C", "c1ccccc1c", "c1ccccc1c1ccccc1", "c1cccCc1"}) {
    INFO(text);
    CHECK_THAT(fault(text), Catch::Contains("in no ring"));
  }
  // An odd number of atoms that need a double bond; and an even one, of which each ring has an odd half.
  for (const char* text : {"c1cccc1", "n1cccc1", "c1ccccc1(C)C", "c1cccccc1-c1cccccc1"}) {
    INFO(text);
    CHECK_THAT(fault(text), Catch::Contains("Kekul"));
  }
}

// OpenSMILES, "Bonds": an aromatic bond may be written.
TEST_CASE("SMILES: an aromatic bond is the same, written or not", "[unit]") {
  CHECK(canonical("c:1:c:c:c:c:c:1") == canonical("c1ccccc1"));
  CHECK(canonical("c1:c:c:o:c1") == canonical("c1ccoc1"));
  CHECK(fault("c1ccccc1:c1ccccc1") == fault("c1ccccc1c1ccccc1"));  // of a bond that is in no ring
}

TEST_CASE("SMILES: strings of one molecule have one canonical string", "[unit]") {
  // Written by hand, from different atoms, with other branches and ring numbers.
  CHECK(canonical("CCO") == canonical("OCC"));
  CHECK(canonical("CC(=O)Oc1ccccc1C(=O)O") == canonical("OC(=O)c8ccccc8OC(C)=O"));  // aspirin
  CHECK(canonical("C1CC1C2CC2") == canonical("C%10CC%10C1CC1"));
  CHECK(canonical("C=1CCC=1") == canonical("C1=CCC1"));
  CHECK(canonical("CCO") != canonical("COC"));
  CHECK(canonical("c1ccccc1") != canonical("C1CCCCC1"));
  CHECK(canonical("ClCBr") == canonical("BrCCl"));
  const auto once = canonical("CC(=O)Oc1ccccc1C(=O)O");
  CHECK(canonical(once) == once);
}

TEST_CASE("SMILES: every molecule of the sampler is valid however it is written, and known again", "[unit]") {
  Sampler sampler(PhiloxSequence(3, 5));
  for (int i = 0; i < 500; ++i) {
    const Molecule molecule = sampler.molecule();
    const std::string expected = canonical_smiles(molecule);
    for (int writing = 0; writing < 4; ++writing) {
      const std::string text = write_smiles(molecule, sampler.permutation(molecule.atoms.size()));
      const auto [again, fault] = read_smiles(text);
      INFO(text);
      REQUIRE(fault.empty());
      REQUIRE(again.atoms.size() == molecule.atoms.size());
      REQUIRE(bonds(again) == bonds(molecule));
      REQUIRE(canonical_smiles(again) == expected);
    }
  }
}

TEST_CASE("SMILES: rings that are open at once have different numbers, from 10 on with a per cent sign",
          "[unit]") {
  Molecule ladder;  // of ten rungs: written up one side and down the other, each stays open until then
  constexpr size_t kRungs = 11;
  for (size_t i = 0; i < 2 * kRungs; ++i) ladder.add(Element::C);
  for (size_t i = 0; i + 1 < 2 * kRungs; ++i) ladder.bond(i, i + 1);
  for (size_t i = 0; i + 1 < kRungs; ++i) ladder.bond(i, 2 * kRungs - 1 - i);
  std::vector<size_t> ranks(2 * kRungs);
  for (size_t i = 0; i < ranks.size(); ++i) ranks[i] = i;
  const std::string text = write_smiles(ladder, ranks);
  CHECK(text == "C1C2C3C4C5C6C7C8C9C%10CCC%10C9C8C7C6C5C4C3C2C1");
  CHECK(fault(text).empty());
}

TEST_CASE("SMILES score: valid lines, different molecules among them, and those that are new", "[unit]") {
  const std::vector<std::string> lines = {"CCO", "OCC", "CC", "C(", "c1ccccc1", ""}, train = {"C1", "C(O)C"};
  const SmilesScore alone = score_smiles(lines, nullptr);
  CHECK(alone.lines == 6);
  CHECK(alone.valid == 4);
  CHECK(alone.unique == 3);
  CHECK_FALSE(alone.novel);
  REQUIRE(alone.faults.size() == 2);
  CHECK(alone.faults[0].line == 3);
  CHECK(alone.faults[1].line == 5);
  CHECK(score_smiles(lines, &train).novel == 2);
}
