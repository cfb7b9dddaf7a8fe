// Lines of text from a file or from `-`, the standard input, plain or packed by gzip or Zstandard
// (known by its content, not by its name). A line ends at LF; a CR before it is dropped, the last
// LF may be missing, a byte order mark at the start is dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace xf::data {

// Line by line; on the standard input a line is handed over as soon as it is there, so a pipe can
// be served.
class LineReader {
 public:
  // Error data if the path is missing, unreadable or a directory.
  explicit LineReader(const std::string& path);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  // False at the end. `line` is written, any bytes. Error data if the file cannot be read on (a
  // truncated .gz or .zst), and for a line that is too long (check_length()).
  bool next(std::string& line);

  int64_t line_number() const;  // of the line read last, from 1
  int64_t bytes_read() const;   // of the file, packed as it is
  const std::string& name() const;

 private:
  struct Source;
  std::unique_ptr<Source> source_;
};

// What may stand before a text in UTF-8, and is no part of it.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// All lines, any bytes; an empty file has none.
std::vector<std::string> read_raw_lines(const std::string& path);

// All lines, as check_utf8() demands. Error data for a file without any line (the standard input
// may be empty).
std::vector<std::string> read_lines(const std::string& path);

// Error data naming path and line number, from 1, for more bytes than a line of text has
// (core/input_limits.h).
void check_length(const std::string& path, int64_t line_number, size_t bytes);

// Error data naming path, line number and byte (both from 1) unless the line is valid UTF-8 without
// NUL, which UTF-16 has.
void check_utf8(const std::string& path, int64_t line_number, std::string_view line);

}  // namespace xf::data
