#include "tools/formats/foreign_text.h"

#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "core/input_limits.h"

namespace xf::tools::exchange {

bool is_there(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(std::filesystem::symlink_status(path, unknown));
}

std::string read_model_text(const std::string& path) {
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  if (!unknown && size > limits::kLongestText)
    fail(ErrorKind::data, "{}: {} bytes; up to {} are read of settings and of lists of pieces", path, size,
         limits::kLongestText);
  return read_regular_file(path);
}

}  // namespace xf::tools::exchange
