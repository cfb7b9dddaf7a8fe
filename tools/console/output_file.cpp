#include "tools/console/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/file.h"
#include "data/display_text.h"

namespace xf::tools {
namespace {

constexpr size_t kBufferBytes = 1 << 16;

}  // namespace

void fail_standard_output(int error_number) {
  if (error_number == EPIPE) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  fail(ErrorKind::resources, "cannot write the standard output: {}", std::strerror(error_number));
}

void refuse_existing(const std::string& path, bool overwrite) {
  std::error_code ignored;  // what cannot be looked at cannot be written, and is told then
  if (overwrite || !std::filesystem::exists(path, ignored)) return;
  fail(ErrorKind::usage, "{} exists; give another name or --overwrite", path);
}

void check_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code unknown;
  if (folder.empty() ||
      std::filesystem::status(folder, unknown).type() != std::filesystem::file_type::not_found)
    return;
  fail(ErrorKind::usage, "{}: there is no folder {}; make it, or give another name", path, folder.string());
}

OutputFile::OutputFile(const std::string& path, bool line_by_line) : line_by_line_(line_by_line) {
  refuse_input_as_output(path);
  check_folder_of(path);
  if (path != "-") file_ = std::make_unique<FileWriter>(path);
  is_terminal_ = !file_ && isatty(STDOUT_FILENO) != 0;
}

// Lines on their way to the standard output are not held back by an error in a later one.
OutputFile::~OutputFile() {
  try {
    if (!file_) flush();
  } catch (const std::exception&) {
  }
}

void OutputFile::flush() {
  const std::string bytes = std::exchange(buffer_, {});
  if (file_) {
    file_->write(bytes);
  } else if (!write_or_stop(STDOUT_FILENO, bytes)) {
    fail_standard_output(errno);
  }
}

void OutputFile::write_line(std::string_view line) {
  buffer_ += is_terminal_ ? data::printable_page(line) : line;
  buffer_ += '\n';
  if (line_by_line_ || buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::close() {
  flush();
  if (file_) file_->commit();
}

}  // namespace xf::tools
