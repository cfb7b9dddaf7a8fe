// A text as a file: plain, packed by gzip or Zstandard, in two columns.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "data/corpus_check.h"
#include "data/labels.h"
#include "data/text_file.h"
#include "data/unicode.h"
#include "tests/fuzz/target.h"

namespace xf::fuzz {

using namespace data;

namespace {

// A file in memory, whose bytes change with each input.
class MemoryFile {
 public:
  MemoryFile() : file_(memfd_create("text", MFD_CLOEXEC)) {}
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }
  void hold(std::string_view bytes) const {
    const bool held = ftruncate(file_, 0) == 0 &&
                      pwrite(file_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
    if (!held) throw std::runtime_error("no file in memory");
  }

 private:
  int file_;
};

}  // namespace

void read(std::string_view bytes) {
  static const MemoryFile file;
  file.hold(bytes);
  const std::string path = file.path();
  std::vector<std::string> raw, lines;
  const bool whole = attempt([&] { raw = read_raw_lines(path); });
  const bool valid = attempt([&] { lines = read_lines(path); });
  promise(whole || !valid, "what cannot be read as bytes is no text");
  promise(!valid || lines == raw, "lines do not depend on who reads them");
  for (const std::string& line : raw) promise(line.find('\n') == std::string::npos, "a line ends at LF");
  for (const std::string& line : lines) promise(!first_invalid_utf8(line), "lines are UTF-8");
  attempt([&] {
    promise(check_text(path, {}).lines == std::ssize(raw) && whole,
            "the check counts the lines that there are");
  });
  attempt([&] { check_corpus(path, path, {}, {}); });
  attempt([&] { read_text(TextKind::labelled, {{.paths = {path}, .tsv = true}}, {}); });
  const ParallelText text =
      read_text(TextKind::translation, {{.paths = {path}, .tsv = true}}, {.lowercase = true});
  promise(std::ssize(text.source) == std::ssize(lines) && text.source.size() == text.target.size(),
          "two columns have as many lines as the file");
}

}  // namespace xf::fuzz
