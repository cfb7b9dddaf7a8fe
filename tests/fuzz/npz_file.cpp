// A file of numpy.savez(), and the options and vocabularies that Marian writes as YAML.
#include "tools/formats/npz_file.h"
#include "tests/fuzz/target.h"
#include "tools/formats/yaml.h"

namespace xf::fuzz {

void read(std::string_view bytes) {
  using namespace tools::exchange;
  attempt([&] { parse_yaml_options(bytes, "model.yml"); });
  attempt([&] { parse_yaml_pieces(bytes, "vocab.yml"); });
  const StoredArrays stored = parse_npz_file(bytes, "model.npz");
  for (const auto& [name, array] : stored.arrays) {
    promise(array.deflated || array.bytes.size() ==
                                  static_cast<size_t>(elements_of(array.shape, name) * size_of(array.type)),
            "an array has its elements' bytes");
    attempt([&, &values = array] { f32_values(values, "model.npz"); });
  }
}

}  // namespace xf::fuzz
