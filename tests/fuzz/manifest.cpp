// A state.json, or the content of one, which gets the checksum that belongs to it.
#include "nn/checkpoint/manifest.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/json_depth.h"
#include "tests/fuzz/target.h"

namespace xf::fuzz {

using namespace nn;

void read(std::string_view bytes) {
  attempt([&] { parse_manifest(bytes, "state.json"); });
  if (is_too_deep_json(bytes)) return;
  const auto content = nlohmann::json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (content.is_discarded()) return;
  const std::string sealed =
      fmt::format(R"({{"content": {}, "crc64": "{}"}})", content.dump(), record_of(content.dump()).crc64);
  const std::string text = format_manifest(parse_manifest(sealed, "state.json"));
  promise(format_manifest(parse_manifest(text, "again")) == text, "a state reads back to itself");
}

}  // namespace xf::fuzz
