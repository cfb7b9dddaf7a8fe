// Lines to a file or to the standard output.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/file_writer.h"

namespace xf::tools {

// What to do when the standard output cannot be written: a reader that has closed the pipe ends the
// program as SIGPIPE does, quietly (status 141); anything else, a full disk say, is Error
// resources.
[[noreturn]] void fail_standard_output(int error_number);

// Error usage if something has that name already, unless --overwrite was given.
void refuse_existing(const std::string& path, bool overwrite);
// Error usage if the folder that the file would be in does not exist.
void check_folder_of(const std::string& path);

// A file appears under its name only when close() has written all of it: what fails half-way leaves
// nothing behind (core/file_writer.h). The standard output ("-") is flushed per line where
// `line_by_line` asks for it, so that a pipe can be served. A file or a pipe gets the bytes of a
// line, a terminal what is printable (data/display_text.h).
class OutputFile {
 public:
  // Error usage if its folder does not exist, or if this program reads the file; Error resources if
  // it cannot be created.
  explicit OutputFile(const std::string& path, bool line_by_line = false);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Adds the newline. Error resources if the disk is full; the standard output as
  // fail_standard_output() says. Throws Stopped if a stop is asked for while a pipe's reader is
  // waited for.
  void write_line(std::string_view line);

  // Flushes and gives the file its name. Errors as for write_line().
  void close();

 private:
  void flush();

  std::unique_ptr<FileWriter> file_;  // null: the standard output
  std::string buffer_;
  bool line_by_line_ = false, is_terminal_ = false;
};

}  // namespace xf::tools
