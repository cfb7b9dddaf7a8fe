#include "nn/checkpoint/manifest.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/json_depth.h"

namespace xf::nn {
namespace {

using Json = nlohmann::json;

constexpr int64_t kFormatVersion = 1;
constexpr const char* kNonFinite = "f64";  // JSON has no infinity: {"f64": "inf"}

// ---- KeyValues <-> JSON. Integers have no point and doubles have one, so each comes back as what
// it was; the library prints the shortest digits that read back to the same bits.

Json to_json(int64_t value) { return value; }
Json to_json(const std::string& value) { return value; }
Json to_json(double value) {
  if (std::isfinite(value)) return value;
  const char* name = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  return Json{{kNonFinite, name}};
}
template <typename T>
Json to_json(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(to_json(value));
  return list;
}
Json to_json(const KeyValues& state) {
  Json json = Json::object();
  for (const auto& [key, value] : state.values()) {
    json[key] = std::visit([](const auto& typed) { return to_json(typed); }, value);
  }
  return json;
}
Json to_json(const FileRecord& record) { return {{"bytes", record.bytes}, {"crc64", record.crc64}}; }

// Whatever is not as it was written is Error data that names the file.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  Manifest state_from(const Json& content) const {
    const Json& version = member(content, "version");
    if (version != kFormatVersion) fail_version(version);
    Manifest state;
    state.update = integer(member(content, "update"));
    for (const auto& [name, record] : object(member(content, "files")).items())
      state.files[name] = {integer(member(record, "bytes")), text(member(record, "crc64"))};
    for (const auto& [key, item] : object(member(content, "state")).items())
      state.state.set(key, value(item));
    return state;
  }

  [[noreturn]] void fail_version(const Json& version) const {
    const std::string what =
        fmt::format("{}: written in version {} of the format, this program reads {}; use a newer one", path_,
                    version.dump(), kFormatVersion);
    if (version.is_number_integer() && version > kFormatVersion) throw NewerVersion(ErrorKind::data, what);
    fail(ErrorKind::data, "{}", what);
  }

  // The part of the file that its checksum is of.
  Json content(std::string_view bytes) const {
    if (is_too_deep_json(bytes)) fail_damaged(path_, "nested too deep");
    const Json json = Json::parse(bytes, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("content") || !json.contains("crc64"))
      fail_damaged(path_, "not valid JSON");
    Json content = json["content"];
    if (json["crc64"] != record_of(content.dump()).crc64) fail_damaged(path_, "its checksum differs");
    return content;
  }

 private:
  const Json& member(const Json& json, const char* key) const {
    if (!json.is_object() || !json.contains(key)) fail_damaged(path_, fmt::format("no '{}'", key));
    return json[key];
  }
  const Json& object(const Json& json) const {
    if (!json.is_object()) fail_damaged(path_, fmt::format("{} is not an object", json.dump()));
    return json;
  }
  int64_t integer(const Json& json) const {
    const bool beyond = json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX;
    if (!json.is_number_integer() || beyond)
      fail_damaged(path_, fmt::format("{} is not an integer", json.dump()));
    return json.get<int64_t>();
  }
  std::string text(const Json& json) const {
    if (!json.is_string()) fail_damaged(path_, fmt::format("{} is not a string", json.dump()));
    return json.get<std::string>();
  }
  double real(const Json& json) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (json.is_number_float()) return json.get<double>();
    const std::string name = json.is_object() ? text(member(json, kNonFinite)) : "";
    if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (name == "inf") return kInfinity;
    if (name == "-inf") return -kInfinity;
    fail_damaged(path_, fmt::format("{} is not a value of a training state", json.dump()));
  }

  template <typename T>
  std::vector<T> list(const Json& json, T (Reader::*read)(const Json&) const) const {
    std::vector<T> values;
    for (const Json& item : json) values.push_back((this->*read)(item));
    return values;
  }
  KeyValues::Value value(const Json& json) const {
    if (json.is_string()) return text(json);
    if (json.is_number_integer()) return integer(json);
    if (!json.is_array()) return real(json);
    if (json.empty() || json.front().is_number_integer()) return list(json, &Reader::integer);
    if (json.front().is_string()) return list(json, &Reader::text);
    return list(json, &Reader::real);
  }

  const std::string& path_;
};

}  // namespace

template <typename T>
T KeyValues::get(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end())
    fail(ErrorKind::data, "{}: no '{}'; was this written by another program?", Manifest::kFileName, key);
  if (const T* value = std::get_if<T>(&found->second)) return *value;
  if constexpr (!std::is_arithmetic_v<T> && !std::is_same_v<T, std::string>) {
    const auto* empty = std::get_if<std::vector<int64_t>>(&found->second);
    if (empty && empty->empty()) return {};  // an empty list has lost its type in the file
  }
  fail(ErrorKind::data, "{}: '{}' is of another type; was this written by another program?",
       Manifest::kFileName, key);
}

template int64_t KeyValues::get(const std::string&) const;
template double KeyValues::get(const std::string&) const;
template std::string KeyValues::get(const std::string&) const;
template std::vector<int64_t> KeyValues::get(const std::string&) const;
template std::vector<double> KeyValues::get(const std::string&) const;
template std::vector<std::string> KeyValues::get(const std::string&) const;

FileRecord record_of(const Crc64& checksum) { return {checksum.bytes(), checksum.hexadecimal()}; }

FileRecord record_of(std::string_view bytes) {
  Crc64 checksum;
  checksum.add(bytes);
  return record_of(checksum);
}

// The checksum is over the canonical text of the content.
std::string format_manifest(const Manifest& state) {
  Json files = Json::object();
  for (const auto& [name, record] : state.files) files[name] = to_json(record);
  const Json content = {{"version", kFormatVersion},
                        {"update", state.update},
                        {"files", files},
                        {"state", to_json(state.state)}};
  const Json json = {{"content", content}, {"crc64", record_of(content.dump()).crc64}};
  return json.dump(2) + "\n";
}

Manifest parse_manifest(std::string_view text, const std::string& path) {
  const Reader reader(path);
  return reader.state_from(reader.content(text));
}

void fail_damaged(const std::string& path, const std::string& why) {
  fail(ErrorKind::data, "{}: damaged: {}; use another checkpoint", path, why);
}

}  // namespace xf::nn
