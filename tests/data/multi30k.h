// Where the tests find Multi30k: $XFORMER_MULTI30K, else ../shared/data/multi30k beside the source
// tree.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "tests/support/folders.h"

namespace xf::tests {

// Prefix of the files ("<folder>/"), or nothing after saying that the test is skipped.
inline std::optional<std::string> multi30k() {
  const char* set = std::getenv("XFORMER_MULTI30K");
  const std::filesystem::path folder = set ? set : source_folder() + "/../shared/data/multi30k";
  if (std::filesystem::exists(folder / "train.en")) return folder.string() + "/";
  std::cout << "[skipped] no Multi30k: set XFORMER_MULTI30K to a folder with train.en\n";
  return std::nullopt;
}

}  // namespace xf::tests
