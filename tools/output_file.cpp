#include "tools/output_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace xf::tools {
namespace {

[[noreturn]] void cannot_write(const std::string& path) {
  if (path == "-") fail_standard_output(errno);
  fail(ErrorKind::resources, "{}: cannot write: {}", path, std::strerror(errno));
}

// A pipe or a device (/dev/null, /dev/stdout, >(...)) cannot be replaced by a rename.
bool is_special_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

void fail_standard_output(int error_number) {
  if (error_number == EPIPE) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  fail(ErrorKind::resources, "cannot write the standard output: {}", std::strerror(error_number));
}

OutputFile::OutputFile(std::string path, bool line_by_line)
    : path_(std::move(path)), line_by_line_(line_by_line) {
  if (path_ == "-") {
    stream_ = stdout;
    return;
  }
  if (!is_special_file(path_)) temporary_ = path_ + ".tmp";
  stream_ = std::fopen((temporary_.empty() ? path_ : temporary_).c_str(), "wb");
  if (!stream_) cannot_write(path_);
}

OutputFile::~OutputFile() {
  if (!stream_ || stream_ == stdout) return;
  std::fclose(stream_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void OutputFile::write_line(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stream_);
  std::fputc('\n', stream_);
  if (line_by_line_) std::fflush(stream_);
  if (std::ferror(stream_) != 0) cannot_write(path_);
}

void OutputFile::close() {
  if (stream_ == stdout) {
    if (std::fflush(stream_) != 0) cannot_write(path_);
  } else if (std::fclose(std::exchange(stream_, nullptr)) != 0) {
    cannot_write(path_);
  }
  if (!temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0) cannot_write(path_);
}

}  // namespace xf::tools
