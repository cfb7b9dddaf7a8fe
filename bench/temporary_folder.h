// A folder that goes with this object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/error.h"

namespace xf::bench {

class TemporaryFolder {
 public:
  // Error resources where it cannot be made.
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "xformer-bench-XXXXXX").string();
    if (!mkdtemp(name.data())) fail(ErrorKind::resources, "{} cannot be made", name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace xf::bench
