// SMILES: a string that breaks a rule for each rule, molecules out of textbooks, and one string for
// each molecule.
#include <algorithm>
#include <functional>
#include <set>

#include "core/philox.h"
#include "data/smiles/canonical.h"
#include "data/smiles/matching.h"
#include "data/smiles/molecule_generator.h"
#include "data/smiles/reader.h"
#include "data/smiles/score.h"
#include "data/smiles/writer.h"
#include "tests/support/catch.h"

namespace {

using namespace xf::data;
using namespace xf::data::smiles;
using xf::PhiloxSequence;

std::string fault(const std::string& text) { return read_smiles(text).fault; }
std::string canonical(const std::string& text) {
  const auto [molecule, fault, unread] = read_smiles(text);
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

// The rules are those of OpenSMILES' grammar (sections on bonds, branches, rings), each broken
// alone.
TEST_CASE("SMILES: a string that breaks the grammar is refused with place and reason", "[unit]") {
  const BrokenString kBroken[] = {
      {"", "character 1: no atom"},
      {"CXC", "character 2: is neither"},
      {"C[NH4", "character 2: is neither"},
      {"C[N(C)]", "character 2: is neither"},
      {"C]", "character 2: is neither"},
      {".C", "character 1: is neither"},
      {"C(.C)", "character 3: is neither"},
      {"/C", "character 1: is neither"},
      {"$C", "character 1: is neither"},
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
  CHECK(fault(std::string(kMostAtoms + 1, 'C')) == "character 1001: more than 1000 atoms: not read");
  for (const auto& [text, expected] : kBroken) {
    INFO(text);
    CHECK_THAT(fault(text), Catch::StartsWith(expected));
    CHECK_FALSE(read_smiles(text).unread);
  }
}

// OpenSMILES' sections on bracket atoms, disconnected structures, bonds, stereochemistry, and its
// extensions.
TEST_CASE("SMILES: what OpenSMILES has and this reader does not know is told apart from a fault", "[unit]") {
  const BrokenString kUnread[] = {
      {"C[NH4]", "character 2: an atom in brackets: not read"},
      {"c1cc[nH]c1", "character 5: an atom in brackets: not read"},
      {"[13CH4]", "character 1: an atom in brackets: not read"},
      {"C[C@@H](N)O", "character 2: an atom in brackets: not read"},
      {"[O-]C", "character 1: an atom in brackets: not read"},
      {"[Fe++]", "character 1: an atom in brackets: not read"},
      {"[CH3:1]C", "character 1: an atom in brackets: not read"},
      {"C[se]C", "character 2: an atom in brackets: not read"},
      {"[*]C", "character 1: an atom in brackets: not read"},
      {"*C", "character 1: an unknown atom: not read"},
      {"C.C", "character 2: a molecule of several parts: not read"},
      {"F/C=C/F", "character 2: the direction of a bond: not read"},
      {"C(\\F)=C", "character 3: the direction of a bond: not read"},
      {"C$C", "character 2: a quadruple bond: not read"},
      {"C%(100)CC%(100)", "character 2: a ring's number in parentheses: not read"},
  };
  for (const auto& [text, expected] : kUnread) {
    INFO(text);
    CHECK(fault(text) == expected);
    CHECK(read_smiles(text).unread);
  }
  CHECK(read_smiles(std::string(kMostAtoms + 1, 'C')).unread);
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

// Benzene, pyridine, furan, thiophene, naphthalene, azulene, biphenyl, N-methylpyrrole,
// N-methylpyridone, toluene, N-methylimidazole.
TEST_CASE("SMILES: aromatic atoms lie in rings that can be written with single and double bonds", "[unit]") {
  for (const char* text : {"c1ccccc1", "c1ccncc1", "o1cccc1", "s1cccc1", "c1ccc2ccccc2c1", "c1ccc2cccc2cc1",
                           "c1ccccc1-c1ccccc1", "Cn1cccc1", "O=c1ccccn1C", "Cc1ccccc1", "n1ccn(C)c1"}) {
    INFO(text);
    CHECK(fault(text).empty());
  }
  for (const char* text : {"cc", "c", "Cc(C)C", "c1ccccc1c", "c1ccccc1:c1ccccc1", "c1cccCc1"}) {
    INFO(text);
    CHECK_THAT(fault(text), Catch::Contains("in no ring"));
  }
  // An odd number of atoms that need a double bond; and an even one, of which each ring has an odd
  // half.
  for (const char* text : {"c1cccc1", "n1cccc1", "c1ccccc1(C)C", "c1cccccc1-c1cccccc1"}) {
    INFO(text);
    CHECK_THAT(fault(text), Catch::Contains("Kekul"));
  }
}

// OpenSMILES, "Bonds": an aromatic bond may be written.
TEST_CASE("SMILES: an aromatic bond is the same, written or not", "[unit]") {
  CHECK(canonical("c:1:c:c:c:c:c:1") == canonical("c1ccccc1"));
  CHECK(canonical("c1:c:c:o:c1") == canonical("c1ccoc1"));
}

// OpenSMILES, "Aromaticity": a single bond between aromatic rings may be left unwritten. Biphenyl,
// bithiophene, phenylpyridine, terphenyl, fluorene (whose bond lies in a ring, but in none of
// aromatic bonds), and biphenylene, whose bonds do.
TEST_CASE("SMILES: an unwritten bond between aromatic rings is single", "[unit]") {
  const std::pair<const char*, const char*> kSame[] = {
      {"c1ccccc1c1ccccc1", "c1ccccc1-c1ccccc1"},
      {"s1cccc1c1cccs1", "s1cccc1-c1cccs1"},
      {"n1ccccc1c1ccccc1", "n1ccccc1-c1ccccc1"},
      {"c1ccc(cc1)c1ccc(cc1)c1ccccc1", "c1ccc(cc1)-c1ccc(cc1)-c1ccccc1"},
      {"c1ccc2c(c1)Cc1ccccc12", "c1ccc2c(c1)Cc1ccccc1-2"},
  };
  for (const auto& [unwritten, written] : kSame) {
    INFO(unwritten);
    CHECK(canonical(unwritten) == canonical(written));
  }
  CHECK(fault("c1ccc2c(c1)c1ccccc12").empty());
}

// Edmonds' theorem, at the smallest graphs for which pairing greedily, or along paths without
// blossoms, does not do.
TEST_CASE("SMILES: a perfect matching is found where there is one, through odd cycles too", "[unit]") {
  using Graph = std::vector<std::vector<size_t>>;
  const auto graph = [](size_t nodes, const std::vector<std::pair<size_t, size_t>>& edges) {
    Graph neighbours(nodes);
    for (const auto& [a, b] : edges) neighbours[a].push_back(b), neighbours[b].push_back(a);
    return neighbours;
  };
  CHECK(has_perfect_matching({}));
  CHECK_FALSE(has_perfect_matching(Graph(1)));
  CHECK(has_perfect_matching(graph(4, {{0, 1}, {1, 2}, {2, 3}})));
  CHECK(has_perfect_matching(graph(4, {{1, 2}, {0, 1}, {2, 3}})));
  CHECK_FALSE(has_perfect_matching(graph(4, {{0, 1}, {0, 2}, {0, 3}})));
  CHECK(has_perfect_matching(graph(6, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 5}, {5, 3}})));
  CHECK_FALSE(has_perfect_matching(graph(6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}})));
  // Random graphs of 8 nodes, against trying every partner of the first free node.
  const auto by_trying = [](const Graph& neighbours) {
    std::vector<bool> paired(neighbours.size(), false);
    const std::function<bool()> rest = [&] {
      const auto free = std::ranges::find(paired, false);
      if (free == paired.end()) return true;
      const auto node = static_cast<size_t>(free - paired.begin());
      paired[node] = true;
      for (const size_t next : neighbours[node]) {
        if (paired[next]) continue;
        paired[next] = true;
        if (rest()) return true;
        paired[next] = false;
      }
      paired[node] = false;
      return false;
    };
    return rest();
  };
  PhiloxSequence random(1, 2);
  size_t perfect = 0;
  for (int i = 0; i < 3000; ++i) {
    Graph neighbours(8);
    for (size_t a = 0; a < 8; ++a) {
      for (size_t b = 0; b < a; ++b) {
        if (random.below(100) < 26) neighbours[a].push_back(b), neighbours[b].push_back(a);
      }
    }
    const bool expected = by_trying(neighbours);
    perfect += expected ? 1 : 0;
    REQUIRE(has_perfect_matching(neighbours) == expected);
  }
  CHECK((perfect > 500 && perfect < 2500));  // either answer, often
}

// Rings of five in a chain, an odd half in each: trying took a time that doubled with every ring,
// minutes for 30.
TEST_CASE("SMILES: no Kekulé structure is told in no time, whatever the rings", "[unit]") {
  std::string rings;
  for (int i = 0; i < 120; ++i) rings += "c1ccccc1-";
  CHECK(fault(rings + "c1ccccc1").empty());
  CHECK_THAT(fault(rings + "c1cccc1"), Catch::Contains("Kekul"));
  CHECK_THAT(fault("c1cccc1-" + rings + "c1ccccc1"), Catch::Contains("Kekul"));
}

// Kekulé's two structures of benzene and of o-xylene, furan, naphthalene, pyridone, and cages that
// hand no atom a number of its own (cuneane, prismane) from each of their atoms.
TEST_CASE("SMILES: a molecule's key does not depend on how its rings are written, nor on where it begins",
          "[unit]") {
  const std::vector<std::vector<const char*>> kSame = {
      {"c1ccccc1", "C1=CC=CC=C1", "C=1C=CC=CC=1"},
      {"Cc1ccccc1C", "CC1=CC=CC=C1C", "CC1=C(C)C=CC=C1"},
      {"o1cccc1", "O1C=CC=C1"},
      {"c1ccc2ccccc2c1", "C1=CC=C2C=CC=CC2=C1", "C1=CC=CC2=C1C=CC=C2"},
      {"O=c1ccccn1C", "O=C1C=CC=CN1C"},
      {"c1ccccc1c1ccccc1", "c1ccccc1-c1ccccc1", "C1=CC=CC=C1c1ccccc1"},
      {"CS(=O)C", "C(S(C)=O)"},
      {"C1CC1", "C%99CC%99"},
  };
  const auto key = [](const std::string& text) {
    const ReadMolecule read = read_smiles(text);
    INFO(text << ": " << read.fault);
    REQUIRE(read.fault.empty());
    return molecule_key(read.molecule);
  };
  std::set<std::string> keys;
  for (const auto& strings : kSame) {
    for (const char* text : strings) {
      INFO(text);
      CHECK(key(text) == key(strings[0]));
    }
    keys.insert(key(strings[0]));
  }
  CHECK(keys.size() == kSame.size());
  // Of one graph, with other hydrogens: tautomers are two molecules, and so are a radical's
  // neighbours.
  CHECK(key("O=C1CCCCC1") != key("OC1=CCCCC1"));
  CHECK(key("C1=CCCCC1") != key("C1CCCCC1"));
  CHECK(key("CC=C") != key("CCC"));
  MoleculeGenerator generator(PhiloxSequence(7, 5));
  for (const char* cage : {"C12C3C4C1C5C2C3C45", "C12C3C1C1C3C21", "C12C3C4C1C5C4C3C25"}) {
    const Molecule molecule = read_smiles(cage).molecule;
    std::set<std::string> texts, strings;
    for (int i = 0; i < 60; ++i) {
      const std::string text = write_smiles(molecule, generator.permutation(molecule.atoms.size()));
      texts.insert(key(text));
      strings.insert(canonical(text));
    }
    INFO(cage);
    CHECK(texts.size() == 1);
    CHECK(strings.size() == 1);
  }
}

TEST_CASE("SMILES: every molecule of the generator is valid however it is written, and known again",
          "[unit]") {
  MoleculeGenerator generator(PhiloxSequence(3, 5));
  for (int i = 0; i < 500; ++i) {
    const Molecule molecule = generator.molecule();
    const std::string expected = canonical_smiles(molecule);
    for (int writing = 0; writing < 4; ++writing) {
      const std::string text = write_smiles(molecule, generator.permutation(molecule.atoms.size()));
      const auto [again, fault, unread] = read_smiles(text);
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
  Molecule ladder;  // of ten rungs: written up one side and down the other, each stays open until
                    // then
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
  CHECK(alone.read == 6);
  CHECK(alone.valid == 4);
  CHECK(alone.unique == 3);
  CHECK_FALSE(alone.novel);
  REQUIRE(alone.faults.size() == 2);
  CHECK(alone.faults[0].line == 3);
  CHECK(alone.faults[1].line == 5);
  CHECK(score_smiles(lines, &train).novel == 2);
  // Not read is neither valid nor not; a name behind the string is none of it; Kekulé's benzene is
  // the aromatic one.
  const std::vector<std::string> files = {"C[N+](C)(C)C", "CCO ethanol", "C1=CC=CC=C1\tbenzene", "c1ccccc1",
                                          "C("};
  const std::vector<std::string> known = {"c1ccccc1 benzene"};
  const SmilesScore of_files = score_smiles(files, &known);
  CHECK(of_files.read == 4);
  CHECK(of_files.valid == 3);
  CHECK(of_files.unique == 2);
  CHECK(of_files.novel == 1);
  CHECK(of_files.named == 2);
  CHECK(of_files.faults.size() == 2);
}
