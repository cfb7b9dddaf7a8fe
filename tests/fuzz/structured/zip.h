// A ZIP archive, written field by field.
#pragma once

#include <zlib.h>

#include <string>
#include <vector>

#include "tests/fuzz/structured/damage.h"

namespace xf::fuzz {

inline std::string deflated(const std::string& bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 1, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

struct ZipFile {
  std::string name, bytes;
};
enum class Packing { stored, deflated };

struct ZipPlace {
  uint64_t method, packed, size, header;
};

inline void append_entry(Damage& damage, std::string& directory, const std::string& name,
                         const ZipPlace& place) {
  append(directory, uint32_t{0x02014b50});
  append(directory, uint32_t{0x00140014});
  append(directory, static_cast<uint16_t>(damage.number(0)));  // flags
  append(directory, static_cast<uint16_t>(damage.number(place.method)));
  append(directory, uint32_t{0});  // time
  append(directory, uint32_t{0});  // sum
  append(directory, static_cast<uint32_t>(damage.number(place.packed)));
  append(directory, static_cast<uint32_t>(damage.number(place.size)));
  append(directory, static_cast<uint16_t>(damage.number(name.size())));
  append(directory, static_cast<uint16_t>(damage.number(0)));  // extra
  append(directory, static_cast<uint16_t>(damage.number(0)));  // comment
  directory.append(8, '\0');
  append(directory, static_cast<uint32_t>(damage.number(place.header)));
  directory += name;
}

inline std::string zip(Damage& damage, const std::vector<ZipFile>& files, Packing packing) {
  std::string bytes, directory;
  uint64_t entries = 0;
  const bool packs = packing == Packing::deflated;
  for (const ZipFile& file : files) {
    const std::string name = damage.text(file.name);
    const std::string content = packs ? deflated(file.bytes) : file.bytes;
    const ZipPlace place{packs ? 8u : 0u, content.size(), file.bytes.size(), bytes.size()};
    append(bytes, uint32_t{0x04034b50});
    bytes.append(22, '\0');
    append(bytes, static_cast<uint16_t>(damage.number(name.size())));
    append(bytes, static_cast<uint16_t>(damage.number(0)));
    bytes += name + content;
    for (int left = damage.times(); left > 0; --left) {
      append_entry(damage, directory, name, place);
      ++entries;
    }
  }
  const uint64_t begin = bytes.size();
  bytes += directory;
  append(bytes, uint32_t{0x06054b50});
  append(bytes, uint32_t{0});
  append(bytes, static_cast<uint16_t>(damage.number(entries)));
  append(bytes, static_cast<uint16_t>(damage.number(entries)));
  append(bytes, static_cast<uint32_t>(damage.number(directory.size())));
  append(bytes, static_cast<uint32_t>(damage.number(begin)));
  append(bytes, static_cast<uint16_t>(damage.number(0)));
  return bytes;
}

}  // namespace xf::fuzz
