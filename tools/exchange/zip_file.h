// The files in a ZIP archive, where they lie: PyTorch's and NumPy's are stored as they are, aligned, and may be larger
// than memory, so that they are pointed at and not copied. Those that are deflated are unpacked.
// Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3 (ZIP64).
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace xf::tools::exchange {

struct ZipEntries {
  std::map<std::string, std::string_view> files;  // by name
  std::deque<std::string> unpacked;               // what the deflated ones' views point into
};

// Error data, naming `path` and what is wrong: no archive, an entry outside of it, of another method, encrypted, unpacked to
// another size than it says, a name that stands twice. Error resources for more than `most_unpacked` bytes.
ZipEntries parse_zip(std::string_view bytes, const std::string& path, size_t most_unpacked = size_t{1} << 34);

}  // namespace xf::tools::exchange
