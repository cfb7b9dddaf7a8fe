// CTranslate2's model.bin.
#include "tests/fuzz/target.h"
#include "tools/formats/ctranslate2_file.h"

namespace xf::fuzz {

void read(std::string_view bytes) {
  using namespace tools::exchange;
  size_t size = 0;
  for (const auto& [name, array] : parse_ctranslate2_file(bytes, "model.bin").variables) {
    size += array.bytes.size();
    attempt([&, &stored = array] { f32_values(stored, "model.bin"); });
  }
  promise(size <= bytes.size(), "the variables take what the file holds");
}

}  // namespace xf::fuzz
