// Lines to a file that a later run finishes, where this one is stopped or killed: they lie in
// OUT.unfinished until all are there, and OUT.unfinished.json says how far they are good.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/descriptor.h"

namespace xf::tools {

class UnfinishedOutput {
 public:
  // Goes on with what is there; `settings` say what decides about the lines. Error usage if it was
  // begun with other ones, if another process is writing it, if its folder does not exist, for what
  // is no regular file, or for an OUT.unfinished without notes, which is somebody's; resources if
  // it cannot be written.
  UnfinishedOutput(const std::string& path, const std::string& settings);

  // Lines of the input whose output is there.
  int64_t lines_done() const { return lines_done_; }

  void write_line(std::string_view line);
  // From here on what was written counts: the output of so many lines of the input. Error resources
  // if the disk is full; what counted before does so still.
  void count(int64_t lines_done);
  // Gives the file its name, and the access of the one that had it before.
  void close();

 private:
  bool has_its_name() const;
  void refuse_unnoted() const;
  void take_up();
  [[noreturn]] void fail_to_lock() const;
  [[noreturn]] void fail_to_write() const;

  std::string path_, lines_path_, notes_path_;
  std::string settings_;  // their checksum
  Descriptor file_;
  std::string buffer_;
  int64_t lines_done_ = 0, bytes_ = 0;
};

}  // namespace xf::tools
