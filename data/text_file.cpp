#include "data/text_file.h"

#include <array>
#include <cstring>

#include "core/error.h"
#include "core/input_limits.h"
#include "data/byte_stream.h"
#include "data/unicode.h"

namespace xf::data {

struct LineReader::Source {
  std::string name;
  ByteStream stream;
  std::array<char, 1 << 16> buffer = {};
  size_t begin = 0, end = 0;  // of the unread part of the buffer
  int64_t line = 0;

  explicit Source(const std::string& path) : name(path == "-" ? "standard input" : path), stream(path) {}

  void fill() {
    const int64_t got = stream.read(buffer.data(), buffer.size());
    if (got < 0) {
      fail(ErrorKind::data, "{}: cannot read after line {}: {}; fetch or compress the file again", name, line,
           stream.problem());
    }
    begin = 0;
    end = static_cast<size_t>(got);
  }

  bool next(std::string& text) {
    text.clear();
    while (true) {
      if (begin == end) fill();
      if (end == 0) return !text.empty();
      const char* from = buffer.data() + begin;
      const void* newline = std::memchr(from, '\n', end - begin);
      const size_t size =
          newline ? static_cast<size_t>(static_cast<const char*>(newline) - from) : end - begin;
      check_length(name, line + 1, text.size() + size);
      text.append(from, size);
      begin += size + (newline ? 1 : 0);
      if (newline) return true;
    }
  }
};

LineReader::LineReader(const std::string& path) : source_(std::make_unique<Source>(path)) {}
LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

bool LineReader::next(std::string& line) {
  if (!source_->next(line)) return false;
  if (++source_->line == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

int64_t LineReader::line_number() const { return source_->line; }
int64_t LineReader::bytes_read() const { return source_->stream.bytes_read(); }
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

void check_length(const std::string& path, int64_t line_number, size_t bytes) {
  if (bytes > limits::kLongestLine)
    fail(ErrorKind::data, "{}:{}: the line is longer than {} MB; give a text with one sentence a line", path,
         line_number, limits::kLongestLine >> 20);
}

void check_utf8(const std::string& path, int64_t line_number, std::string_view line) {
  if (const size_t at = line.find('\0'); at != line.npos) {
    fail(ErrorKind::data,
         "{}:{}: a NUL at byte {}: UTF-16, or no text; convert the file with iconv -f utf-16le (or "
         "utf-16be) -t utf-8, or remove the NUL",
         path, line_number, at + 1);
  }
  if (const auto offset = first_invalid_utf8(line)) {
    fail(ErrorKind::data,
         "{}:{}: invalid UTF-8 at byte {}; fix or remove the line, or convert the file with iconv", path,
         line_number, *offset + 1);
  }
}

}  // namespace xf::data
