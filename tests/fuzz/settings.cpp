// What lies beside another toolkit's weights: settings, pieces by their ids, and an index of files.
#include "tools/formats/settings.h"

#include <set>

#include "tests/fuzz/target.h"
#include "tools/formats/hf_weights.h"

namespace xf::fuzz {

void read(std::string_view bytes) {
  using namespace tools::exchange;
  attempt([&] {
    const std::vector<std::string> pieces = parse_pieces(bytes, "vocab.json");
    promise(std::set(pieces.begin(), pieces.end()).size() == pieces.size(), "no piece stands there twice");
  });
  attempt([&] {
    for (const std::string& file : files_of_index(bytes, "model.safetensors.index.json"))
      promise(file.find('/') == std::string::npos, "what an index names lies beside it");
  });
  const Settings settings = Settings::parse(bytes, "config.json");
  for (const char* key : {"d_model", "dropout", "activation_function", "scale_embedding"}) {
    attempt([&] { settings.integer(key); });
    attempt([&] { settings.number(key); });
    attempt([&] { settings.flag(key); });
    attempt([&] { settings.text(key); });
  }
}

}  // namespace xf::fuzz
