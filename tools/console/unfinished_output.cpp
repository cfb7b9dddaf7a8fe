#include "tools/console/unfinished_output.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/checksum.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_writer.h"
#include "core/guarded_open.h"
#include "tools/console/output_file.h"

namespace xf::tools {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// Not the settings themselves: a file's name may be no UTF-8, which JSON cannot hold.
std::string checksum_of(const std::string& settings) {
  Crc64 crc;
  crc.add(settings);
  return crc.hexadecimal();
}

// Where the lines go in the end: what a link names. Error usage for what cannot be given a new
// content by its name.
std::string file_of(const std::string& path) {
  refuse_planted(path);
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  const std::string target = link_target(path);
  if (path == "-" || target.empty() || (fs::exists(status) && !fs::is_regular_file(status)))
    fail(ErrorKind::usage, "continue: needs a file; give it as --output FILE");
  return target;
}

}  // namespace

UnfinishedOutput::UnfinishedOutput(const std::string& path, const std::string& settings)
    : path_(file_of(path)),
      lines_path_(path_ + ".unfinished"),
      notes_path_(lines_path_ + ".json"),
      settings_(checksum_of(settings)) {
  check_folder_of(path_);
  refuse_input_as_output(path_);
  struct stat before = {};
  if (::stat(path_.c_str(), &before) == 0 && ::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0)
    fail(ErrorKind::resources, "{}: cannot write: {}; choose a file you may write to", path_,
         std::strerror(errno));
  do {
    file_ = open_part(lines_path_, O_WRONLY);
    if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0) fail_to_lock();
  } while (!has_its_name());
  remove_abandoned(notes_path_);
  std::error_code none;
  if (fs::exists(fs::symlink_status(notes_path_, none))) {
    take_up();
  } else {
    refuse_unnoted();
    count(0);  // from here on what is there has notes
  }
  // What lies behind was written and did not count any more.
  if (::ftruncate(file_.number(), bytes_) != 0 || ::lseek(file_.number(), 0, SEEK_END) != bytes_)
    fail_to_write();
}

// Who had the lock before may have given the file its final name since it was opened here.
bool UnfinishedOutput::has_its_name() const {
  struct stat opened = {}, named = {};
  return ::fstat(file_.number(), &opened) == 0 && ::stat(lines_path_.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// A file of this name that no run has begun, or whose notes are lost.
void UnfinishedOutput::refuse_unnoted() const {
  struct stat status = {};
  if (::fstat(file_.number(), &status) != 0 || status.st_size == 0) return;
  fail(ErrorKind::usage,
       "{}: exists, but {}, which records its valid length, is missing; move it away, or remove it",
       lines_path_, notes_path_);
}

void UnfinishedOutput::take_up() {
  std::string settings;
  try {
    const json notes = json::parse(read_regular_file(notes_path_));
    lines_done_ = notes.at("lines");
    bytes_ = notes.at("bytes");
    settings = notes.at("settings");
  } catch (const json::exception&) {
    fail(ErrorKind::data,
         "{}: damaged, or not written by this program; move it away, or remove it and {} to start again",
         notes_path_, lines_path_);
  }
  struct stat lines = {};
  if (::fstat(file_.number(), &lines) != 0) fail_to_write();
  // Of lines that are not there: whoever gave them their final name was killed before the notes
  // were gone.
  if (lines.st_size == 0) {
    bytes_ = 0;
    return count(0);
  }
  if (bytes_ < 0 || lines_done_ < 0 || lines.st_size < bytes_)
    fail(ErrorKind::data, "{}: damaged; remove it and {} to start again", notes_path_, lines_path_);
  if (settings != settings_) {
    fail(ErrorKind::usage,
         "{} was started with another model, input or options; give the same command, or remove it to start "
         "again",
         notes_path_);
  }
}

void UnfinishedOutput::fail_to_lock() const {
  if (errno == EWOULDBLOCK)
    fail(ErrorKind::usage, "{}: another process is writing it; give another --output", lines_path_);
  fail(ErrorKind::resources, "{}: cannot be locked: {}; give an --output on another file system", lines_path_,
       std::strerror(errno));
}

void UnfinishedOutput::fail_to_write() const {
  fail(ErrorKind::resources, "{}: cannot write: {}; free some space or choose a folder you may write to",
       lines_path_, std::strerror(errno));
}

void UnfinishedOutput::write_line(std::string_view line) {
  buffer_ += line;
  buffer_ += '\n';
}

void UnfinishedOutput::count(int64_t lines_done) {
  if (!write_all(file_.number(), buffer_) || ::fdatasync(file_.number()) != 0) fail_to_write();
  bytes_ += std::ssize(buffer_);
  buffer_.clear();
  lines_done_ = lines_done;
  atomic_write(notes_path_, json{{"lines", lines_done_}, {"bytes", bytes_}, {"settings", settings_}}.dump(),
               Existing::replaced);
}

void UnfinishedOutput::close() {
  count(lines_done_);
  struct stat before = {};
  if (::stat(path_.c_str(), &before) == 0) take_access_of(before, file_.number());
  // The lock goes last: who has opened the file by its old name then finds another one there, or
  // none.
  if (::rename(lines_path_.c_str(), path_.c_str()) != 0) fail_to_write();
  ::unlink(notes_path_.c_str());
  if (!file_.close_checked()) fail_to_write();
  sync_folder(fs::path(path_).has_parent_path() ? fs::path(path_).parent_path().string() : ".");
}

}  // namespace xf::tools
