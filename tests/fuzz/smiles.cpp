// A string of a molecule.
#include "data/smiles/canonical.h"
#include "data/smiles/reader.h"
#include "data/smiles/writer.h"
#include "data/text_file.h"
#include "tests/fuzz/target.h"

namespace xf::fuzz {

using namespace data::smiles;

void read(std::string_view bytes) {
  data::check_utf8("smiles", 1, bytes);
  const ReadMolecule first = read_smiles(bytes);
  if (!first.fault.empty()) return;
  const std::string canonical = canonical_smiles(first.molecule);
  const ReadMolecule second = read_smiles(canonical);
  promise(second.fault.empty(), "what is written of a molecule is one");
  promise(canonical_smiles(second.molecule).size() == canonical.size(), "a molecule's strings are as long");
}

}  // namespace xf::fuzz
