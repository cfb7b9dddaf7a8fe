// state.json of a checkpoint: where training stood, and size and CRC-64 of each of the other files.
// It vouches for them, and by a checksum of its own for itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/checksum.h"
#include "core/error.h"

namespace xf::nn {

// Where training stands, under keys of the trainer's choice. Strings are UTF-8. Doubles come back
// with the same bits (a NaN as a NaN).
class KeyValues {
 public:
  using Value = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                             std::vector<std::string>>;

  void set(const std::string& key, Value value) { values_[key] = std::move(value); }
  bool has(const std::string& key) const { return values_.count(key) != 0; }
  // Error data, naming the key, if it is missing or not a T. T is one of Value's types.
  template <typename T>
  T get(const std::string& key) const;

  const std::map<std::string, Value>& values() const { return values_; }
  friend bool operator==(const KeyValues&, const KeyValues&) = default;

 private:
  std::map<std::string, Value> values_;
};

// What tells a whole file from a truncated or damaged one.
struct FileRecord {
  int64_t bytes = 0;
  std::string crc64;  // 16 hexadecimal digits
  friend bool operator==(const FileRecord&, const FileRecord&) = default;
};
FileRecord record_of(const Crc64& checksum);
FileRecord record_of(std::string_view bytes);

struct Manifest {
  static constexpr const char* kFileName = "state.json";

  int64_t update = 0;                       // how many updates were made
  std::map<std::string, FileRecord> files;  // by name
  KeyValues state;
};

// The same state gives the same text.
std::string format_manifest(const Manifest& state);

// Error data, naming `path`, for a text that format_manifest() did not write; NewerVersion where a
// later version of it did.
Manifest parse_manifest(std::string_view text, const std::string& path);

// Error data. Such a file is whole: nothing may pass over it as damaged, or take its place.
class NewerVersion : public Error {
 public:
  using Error::Error;
};

// Error data "PATH: damaged: WHY; use another checkpoint".
[[noreturn]] void fail_damaged(const std::string& path, const std::string& why);

}  // namespace xf::nn
