#include "tools/formats/zip_file.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/input_limits.h"

namespace xf::tools::exchange {

namespace {

constexpr uint32_t kLocalHeader = 0x04034b50, kEntry = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                   kLocator64 = 0x07064b50;
constexpr size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20;
constexpr size_t kLongestComment = 0xFFFF;
// An archive unpacks to at most so many times its size, however often its entries are read: weights
// to hardly more than once, those that are mostly zeros to ten times. A small one may always unpack
// to so many bytes.
constexpr uint64_t kMostUnpacked = 32, kAlwaysUnpacked = uint64_t{32} << 20;
constexpr uint16_t kStored = 0, kDeflated = 8, kExtra64 = 1, kEncrypted = 1;

class Archive {
 public:
  Archive(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  [[noreturn]] void refuse(const std::string& why) const {
    fail(ErrorKind::data, "{}: not a valid archive: {}; copy or save it again", path_, why);
  }
  std::string_view part(uint64_t begin, uint64_t count) const {
    if (begin > bytes_.size() || count > bytes_.size() - begin) refuse("it points outside of itself");
    return bytes_.substr(begin, count);
  }
  template <typename T>
  T number(uint64_t at) const {
    T value;
    std::memcpy(&value, part(at, sizeof value).data(), sizeof value);
    return value;
  }
  size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  const std::string& path_;
};

struct Directory {
  uint64_t begin = 0, entries = 0;
};

// The record at the end, behind which there may be a comment, and the one of 64 bits in front of
// it.
Directory find_directory(const Archive& archive) {
  if (archive.size() < kEndBytes) archive.refuse("it is too short");
  const uint64_t last = archive.size() - kEndBytes,
                 first = last > kLongestComment ? last - kLongestComment : 0;
  uint64_t at = last + 1;
  do {
    if (at == first) archive.refuse("it has no directory");
    --at;
  } while (archive.number<uint32_t>(at) != kEnd);
  Directory directory{archive.number<uint32_t>(at + 16), archive.number<uint16_t>(at + 10)};
  if (at < kLocatorBytes || archive.number<uint32_t>(at - kLocatorBytes) != kLocator64) return directory;
  const auto at64 = archive.number<uint64_t>(at - kLocatorBytes + 8);
  if (archive.part(at64, kEnd64Bytes).empty() || archive.number<uint32_t>(at64) != kEnd64)
    archive.refuse("its directory of 64 bits is not where it says");
  return {archive.number<uint64_t>(at64 + 48), archive.number<uint64_t>(at64 + 32)};
}

struct Entry {
  std::string name;
  uint16_t method = 0, flags = 0;
  uint64_t packed = 0, size = 0, header = 0;
  uint64_t next = 0;  // where the directory goes on
};

// Numbers of 64 bits in place of those that are all ones, in this order.
void read_extra64(const Archive& archive, uint64_t at, uint64_t end, Entry& entry) {
  while (end - at >= 4) {
    const auto kind = archive.number<uint16_t>(at), bytes = archive.number<uint16_t>(at + 2);
    at += 4;
    if (bytes > end - at) archive.refuse("an extra field is too long");
    if (kind == kExtra64) {
      uint64_t field = at;
      for (uint64_t* value : {&entry.size, &entry.packed, &entry.header}) {
        if (*value != std::numeric_limits<uint32_t>::max()) continue;
        if (at + bytes - field < 8) archive.refuse("an extra field is too short");
        *value = archive.number<uint64_t>(field);
        field += 8;
      }
      return;
    }
    at += bytes;
  }
}

Entry read_entry(const Archive& archive, uint64_t at) {
  if (archive.number<uint32_t>(at) != kEntry) archive.refuse("an entry of its directory is invalid");
  Entry entry;
  entry.flags = archive.number<uint16_t>(at + 8);
  entry.method = archive.number<uint16_t>(at + 10);
  entry.packed = archive.number<uint32_t>(at + 20);
  entry.size = archive.number<uint32_t>(at + 24);
  entry.header = archive.number<uint32_t>(at + 42);
  const auto name = archive.number<uint16_t>(at + 28), extra = archive.number<uint16_t>(at + 30),
             comment = archive.number<uint16_t>(at + 32);
  entry.name = archive.part(at + kEntryBytes, name);
  const uint64_t extra_at = at + kEntryBytes + name;
  archive.part(extra_at, extra);
  read_extra64(archive, extra_at, extra_at + extra, entry);
  entry.next = extra_at + extra + comment;
  return entry;
}

// Those of an entry from its header on, which nothing else may be part of: one stream that a
// thousand entries share would be unpacked a thousand times.
struct Range {
  uint64_t begin, end;
};

void refuse_overlaps(const Archive& archive, std::vector<Range>& ranges) {
  std::ranges::sort(ranges, {}, &Range::begin);
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].begin < ranges[i - 1].end) archive.refuse("two of its entries lie in each other");
  }
}

[[noreturn]] void refuse_damage(const std::string& path) {
  fail(ErrorKind::data, "{}: not a valid archive: an entry is damaged; copy or save it again", path);
}

// The first `count` bytes of what has `size`.
std::string inflated(std::string_view packed, uint64_t count, uint64_t size, const std::string& path) {
  std::string result(count, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) refuse_damage(path);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  uint64_t in_left = packed.size(), out_left = count;
  int status = Z_OK;
  do {  // the library counts in 32 bits
    constexpr uint64_t kMost = 1u << 30;
    stream.avail_in = static_cast<uInt>(std::min(in_left, kMost));
    stream.avail_out = static_cast<uInt>(std::min(out_left, kMost));
    const uInt in = stream.avail_in, out = stream.avail_out;
    status = inflate(&stream, Z_NO_FLUSH);
    in_left -= in - stream.avail_in;
    out_left -= out - stream.avail_out;
    if (in == stream.avail_in && out == stream.avail_out) break;
  } while (status == Z_OK && (out_left > 0 || count == size));
  inflateEnd(&stream);
  const bool whole = status == Z_STREAM_END && in_left == 0;
  if (out_left != 0 || (count == size ? !whole : status != Z_OK)) refuse_damage(path);
  return result;
}

}  // namespace

std::string_view ZipEntry::read(uint64_t count, std::string& unpacked) const {
  count = std::min(count, size_);
  if (!deflated_ || count == 0) return packed_.substr(0, count);
  if (count > allowance_->bytes)
    fail(ErrorKind::data, "{}: unpacks to more than {} times its size; save it uncompressed",
         allowance_->path, kMostUnpacked);
  allowance_->bytes -= count;
  return unpacked = inflated(packed_, count, size_, allowance_->path);
}

uint64_t readable_bytes(const ZipEntries& entries) {
  uint64_t stored = 0, deflated = 0;
  for (const auto& [name, entry] : entries) {
    if (entry.is_deflated()) deflated = entry.left_to_unpack();
    if (!entry.is_deflated()) stored += entry.size();
  }
  return stored + deflated;
}

ZipEntries parse_zip(std::string_view bytes, const std::string& path) {
  const Archive archive(bytes, path);
  const Directory directory = find_directory(archive);
  if (directory.entries > limits::kMostArrays)
    archive.refuse(fmt::format("{} entries; up to {} are read", directory.entries, limits::kMostArrays));
  const auto allowance = std::make_shared<ZipEntry::Allowance>(
      ZipEntry::Allowance{path, std::max<uint64_t>(kAlwaysUnpacked, kMostUnpacked * bytes.size())});
  ZipEntries entries;
  std::vector<Range> ranges;
  uint64_t at = directory.begin;
  for (uint64_t i = 0; i < directory.entries; ++i) {
    const Entry entry = read_entry(archive, at);
    at = entry.next;
    if ((entry.flags & kEncrypted) != 0) archive.refuse(entry.name + " is encrypted");
    if (archive.number<uint32_t>(entry.header) != kLocalHeader)
      archive.refuse(entry.name + " is not where it says");
    const uint64_t data = entry.header + kLocalBytes + archive.number<uint16_t>(entry.header + 26) +
                          archive.number<uint16_t>(entry.header + 28);
    const std::string_view packed = archive.part(data, entry.packed);
    ranges.push_back({entry.header, data + entry.packed});
    const bool deflated = entry.method == kDeflated;
    // Deflate makes at most 1032 bytes of one.
    if (deflated && entry.size / 1032 > entry.packed)
      archive.refuse(entry.name + " has another size than it says");
    if (!deflated && (entry.method != kStored || entry.packed != entry.size))
      archive.refuse(fmt::format("{} is packed by method {}", entry.name, entry.method));
    if (!entries.emplace(entry.name, ZipEntry(packed, deflated, entry.size, allowance)).second)
      archive.refuse(entry.name + " appears twice in it");
  }
  refuse_overlaps(archive, ranges);
  return entries;
}

}  // namespace xf::tools::exchange
