#include "core/folder_writer.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/error.h"
#include "core/file.h"
#include "core/guarded_open.h"

namespace xf {
namespace {

namespace fs = std::filesystem;

void make_empty(const std::string& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error && fs::create_directory(folder, error)) return;
  // somebody else's, made meanwhile
  if (!error) error = std::make_error_code(std::errc::file_exists);
  fail(ErrorKind::resources,
       "{}: cannot make the folder: {}; free some space or choose a folder you may write to", folder,
       error.message());
}

std::string place_of_old(const std::string& folder) { return folder + ".old.tmp"; }

// Afterwards `folder` is the new one; an old one, if there was any, lies in `temporary`, or beside
// it, until it is removed.
bool move_into_place(const std::string& temporary, const std::string& folder) {
  if (::rename(temporary.c_str(), folder.c_str()) == 0) return true;
  if (errno != ENOTEMPTY && errno != EEXIST) return false;
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // A file system that cannot exchange: for a moment neither is in place.
  const std::string old = place_of_old(folder);
  std::error_code ignored;
  fs::remove_all(old, ignored);  // `folder` is there, so that nobody misses it
  if (::rename(folder.c_str(), old.c_str()) != 0) return false;
  if (::rename(temporary.c_str(), folder.c_str()) == 0) return true;
  const int why = errno;
  ::rename(old.c_str(), folder.c_str());
  errno = why;
  return false;
}

}  // namespace

void write_folder(const std::string& folder, const std::function<void(const std::string& temporary)>& fill) {
  refuse_planted(folder);
  const std::string temporary = folder + ".tmp";
  std::error_code ignored;
  try {
    make_empty(temporary);
    fill(temporary);
    sync_folder(temporary);
    if (!move_into_place(temporary, folder)) {
      fail(ErrorKind::resources, "{}: cannot move the new folder here: {}", folder, std::strerror(errno));
    }
  } catch (...) {
    fs::remove_all(temporary, ignored);  // a full disk needs the space
    throw;
  }
  sync_folder(fs::absolute(folder).parent_path().string());
  remove_leftovers_of(folder);
}

void remove_leftovers_of(const std::string& folder) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) fs::rename(place_of_old(folder), folder, ignored);
  for (const std::string& leftover : {folder + ".tmp", place_of_old(folder)})
    fs::remove_all(leftover, ignored);
}

}  // namespace xf
