// What lies beside another toolkit's weights: settings, and pieces by their ids.
#include "tools/exchange/settings.h"

#include <set>

#include "tests/fuzz/target.h"

namespace xf::fuzz {

void read(std::string_view bytes) {
  using namespace tools::exchange;
  attempt([&] {
    const std::vector<std::string> pieces = parse_pieces(bytes, "vocab.json");
    promise(std::set(pieces.begin(), pieces.end()).size() == pieces.size(), "no piece stands there twice");
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
