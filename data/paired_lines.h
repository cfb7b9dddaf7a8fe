// The lines of a text that is learnt from, in step: two files or two columns of one, whose lines
// belong together, or one file. They are raw, and checked to be UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/text_file.h"

namespace xf::data {

enum class TextKind {
  translation,  // a line of the target translates that of the source
  target_only,  // what a language model learns: no source
  labelled,     // a line of the target is the class of that of the source, and read as one
                // (class_name)
};

// The files of a text: source and target, or one with a column for each of them, or the target's
// alone.
struct TextFiles {
  std::vector<std::string> paths;
  bool tsv = false;
  const std::string& source() const { return paths.front(); }
  const std::string& target() const { return paths.back(); }
};

class PairedLines {
 public:
  // Error data if a file is missing, unreadable or a folder.
  PairedLines(TextKind kind, const TextFiles& files);

  // False at the end. Both are written; a text without source has an empty one. Error data
  // "path:line: ..." for a line that is not UTF-8, has another number of columns than two, or no
  // class; and for an empty file, and two with unequal numbers of lines, both of which are named.
  bool next(std::string& source, std::string& target);

  int64_t line() const { return line_; }  // the number of the one read last, from 1
  int64_t bytes_read() const;             // of the files, packed as they are

 private:
  bool next_of_files(std::string& source, std::string& target);
  bool next_of_columns(std::string& source, std::string& target);
  [[noreturn]] void fail_unequal(bool has_source, bool has_target);
  void check_not_empty(const std::string& path) const;

  TextKind kind_;
  TextFiles files_;
  std::optional<LineReader> source_;  // none: columns, or no source
  LineReader target_;
  int64_t line_ = 0;
};

}  // namespace xf::data
