#include "core/folder_writer.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/error.h"
#include "core/file.h"

namespace xf {
namespace {

namespace fs = std::filesystem;

void make_empty(const std::string& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (fs::create_directory(folder, error)) return;
  fail(ErrorKind::resources,
       "{}: cannot make the folder: {}; free some space or choose a folder you may write to", folder,
       error.message());
}

// Afterwards `folder` is the new one; an old one, if there was any, lies in `temporary` until it is removed.
bool move_into_place(const std::string& temporary, const std::string& folder) {
  if (::rename(temporary.c_str(), folder.c_str()) == 0) return true;
  if (errno != ENOTEMPTY && errno != EEXIST) return false;
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // A file system that cannot exchange: for a moment neither is in place.
  const std::string old = folder + ".old.tmp";
  if (::rename(folder.c_str(), old.c_str()) != 0 || ::rename(temporary.c_str(), folder.c_str()) != 0)
    return false;
  return ::rename(old.c_str(), temporary.c_str()) == 0;
}

}  // namespace

void write_folder(const std::string& folder, const std::function<void(const std::string& temporary)>& fill) {
  const std::string temporary = folder + ".tmp";
  std::error_code ignored;
  try {
    make_empty(temporary);
    fill(temporary);
    sync_folder(temporary);
    if (!move_into_place(temporary, folder)) {
      fail(ErrorKind::resources, "{}: cannot move the new folder here: {}", folder, std::strerror(errno));
    }
    sync_folder(fs::absolute(folder).parent_path().string());
  } catch (...) {
    fs::remove_all(temporary, ignored);  // a full disk needs the space
    throw;
  }
  fs::remove_all(temporary, ignored);
}

}  // namespace xf
