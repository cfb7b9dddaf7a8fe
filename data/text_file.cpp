#include "data/text_file.h"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "core/error.h"
#include "data/unicode.h"

namespace xf::data {

// A file goes through zlib, which hands plain files through; the standard input does not, since zlib would
// wait for a full buffer before it returned the first line.
struct LineReader::Source {
  std::string name;
  gzFile file = nullptr;  // null: the standard input
  std::array<char, 1 << 16> buffer;
  size_t begin = 0, end = 0;  // of the unread part of the buffer
  int64_t line = 0;

  ~Source() {
    if (file) gzclose(file);
  }

  void fill() {
    const int got = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()));
    int status = Z_OK;
    const char* message = gzerror(file, &status);
    if (got < 0 || status == Z_BUF_ERROR) {  // Z_BUF_ERROR: the file ends inside a compressed stream
      fail(ErrorKind::data, "{}: cannot read after line {}: {}; fetch or compress the file again", name, line,
           status == Z_ERRNO ? std::strerror(errno) : message);
    }
    begin = 0;
    end = static_cast<size_t>(got);
  }

  bool next_from_file(std::string& text) {
    text.clear();
    while (true) {
      if (begin == end) fill();
      if (end == 0) return !text.empty();
      const char* from = buffer.data() + begin;
      const void* newline = std::memchr(from, '\n', end - begin);
      const size_t size =
          newline ? static_cast<size_t>(static_cast<const char*>(newline) - from) : end - begin;
      text.append(from, size);
      begin += size + (newline ? 1 : 0);
      if (newline) return true;
    }
  }
};

LineReader::LineReader(const std::string& path) : source_(std::make_unique<Source>()) {
  source_->name = path == "-" ? "standard input" : path;
  if (path == "-") return;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    fail(ErrorKind::data, "{}: is a folder; name a text file in it", path);
  }
  source_->file = gzopen(path.c_str(), "rb");
  if (!source_->file)
    fail(ErrorKind::data, "{}: cannot open: {}; check the path", path, std::strerror(errno));
}

LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

bool LineReader::next(std::string& line) {
  const bool got =
      source_->file ? source_->next_from_file(line) : static_cast<bool>(std::getline(std::cin, line));
  if (!got) return false;
  if (++source_->line == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

int64_t LineReader::line_number() const { return source_->line; }
const std::string& LineReader::name() const { return source_->name; }

std::vector<std::string> read_raw_lines(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines = read_raw_lines(path);
  if (lines.empty() && path != "-")
    fail(ErrorKind::data, "{}: is empty; give a file with one sentence a line", path);
  for (size_t i = 0; i < lines.size(); ++i) check_utf8(path, static_cast<int64_t>(i) + 1, lines[i]);
  return lines;
}

void check_utf8(const std::string& path, int64_t line_number, std::string_view line) {
  if (const auto offset = first_invalid_utf8(line)) {
    fail(ErrorKind::data,
         "{}:{}: invalid UTF-8 at byte {}; mend or remove the line, or convert the file with iconv", path,
         line_number, *offset + 1);
  }
}

}  // namespace xf::data
