// The files in a ZIP archive, where they lie: PyTorch's and NumPy's are stored as they are,
// aligned, and may be larger than memory, so that they are pointed at and not copied. Those that
// are deflated are unpacked for whoever reads them. Source: PKWARE's APPNOTE.TXT 6.3.10, sections
// 4.3 and 4.5.3 (ZIP64).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace xf::tools::exchange {

// A file of an archive, whose bytes the caller keeps.
class ZipEntry {
 public:
  // What its archive may still unpack, all entries together.
  struct Allowance {
    std::string path;
    uint64_t bytes;
  };
  ZipEntry(std::string_view packed, bool deflated, uint64_t size, std::shared_ptr<Allowance> allowance)
      : packed_(packed), deflated_(deflated), size_(size), allowance_(std::move(allowance)) {}

  uint64_t size() const { return size_; }  // unpacked, as the archive says
  bool is_deflated() const { return deflated_; }
  uint64_t left_to_unpack() const { return allowance_->bytes; }  // of all entries together
  // Its first `count` bytes, or all: where they lie, or in `unpacked`. Error data where they cannot
  // be unpacked, where it has another size than it says, and where the archive unpacks to more than
  // an honest one does.
  std::string_view read(uint64_t count, std::string& unpacked) const;

 private:
  std::string_view packed_;
  bool deflated_;
  uint64_t size_;
  std::shared_ptr<Allowance> allowance_;
};

using ZipEntries = std::map<std::string, ZipEntry>;  // by name

// Bytes that all of an archive's entries together can have: where any is deflated, what they may
// unpack to.
uint64_t readable_bytes(const ZipEntries& entries);

// Nothing is unpacked. Error data, naming `path` and what is wrong: no archive, an entry outside of
// it or in another one, of another method, encrypted, a name that stands twice.
ZipEntries parse_zip(std::string_view bytes, const std::string& path);

}  // namespace xf::tools::exchange
