#include "tools/formats/settings.h"

#include <filesystem>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/input_limits.h"
#include "core/json_depth.h"

namespace xf::tools::exchange {

namespace {

using Json = nlohmann::json;

Json parse_json(std::string_view text, const std::string& path) {
  if (is_too_deep_json(text)) fail(ErrorKind::data, "{}: JSON that is nested too deep", path);
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::exception& error) {
    fail(ErrorKind::data, "{}: not JSON ({:.200}); copy it again", path, error.what());
  }
}

}  // namespace

Settings Settings::parse(std::string_view text, const std::string& path) {
  Json json = parse_json(text, path);
  if (!json.is_object()) fail(ErrorKind::data, "{}: not an object of settings; copy it again", path);
  return {std::move(json), path};
}

Settings Settings::read(const std::string& path) { return parse(read_model_text(path), path); }

const Json* Settings::find(const char* key) const {
  const auto found = json_.find(key);
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

bool Settings::is_null(const char* key) const {
  const auto found = json_.find(key);
  return found != json_.end() && found->is_null();
}

bool Settings::is_true(const char* key) const {
  const Json* value = find(key);
  return value && value->is_boolean() && value->get<bool>();
}

void Settings::refuse(const char* key, const char* expected) const {
  fail(ErrorKind::data, "{}: {} is not {}", path_, key, expected);
}

std::optional<int64_t> Settings::integer(const char* key) const {
  const Json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_number_integer() || (value->is_number_unsigned() && value->get<uint64_t>() > INT64_MAX))
    refuse(key, "an integer");
  return value->get<int64_t>();
}

std::optional<double> Settings::number(const char* key) const {
  const Json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_number()) refuse(key, "a number");
  return value->get<double>();
}

std::optional<bool> Settings::flag(const char* key) const {
  const Json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_boolean()) refuse(key, "true or false");
  return value->get<bool>();
}

std::optional<std::string> Settings::text(const char* key) const {
  const Json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_string()) refuse(key, "a string");
  return value->get<std::string>();
}

int64_t Settings::required_integer(const char* key) const {
  const std::optional<int64_t> value = integer(key);
  if (!value) fail(ErrorKind::data, "{}: has no {}", path_, key);
  return *value;
}

void Settings::require_flag(const char* key, bool wanted, bool usual, const char* why) const {
  if (const bool value = flag(key).value_or(usual); value != wanted)
    fail(ErrorKind::usage, "{}: {} is {}; {}", path_, key, value, why);
}

namespace {

std::vector<std::string> pieces_by_id(const Json& parsed, const std::string& path) {
  if (!parsed.is_array() && !parsed.is_object())
    fail(ErrorKind::data, "{}: neither a list of pieces nor an object of their ids", path);
  std::vector<std::string> pieces(parsed.size());
  std::set<std::string> seen;
  const auto put = [&](size_t id, const std::string& piece) {
    if (id >= pieces.size() || !pieces[id].empty())
      fail(ErrorKind::data, "{}: the ids are not 0 to {}, each once: see {}", path, parsed.size() - 1, id);
    if (piece.empty() || !seen.insert(piece).second)
      fail(ErrorKind::data, "{}: piece {} is empty or appears twice", path, id);
    pieces[id] = piece;
  };
  if (parsed.is_array()) {
    for (size_t id = 0; id < parsed.size(); ++id) {
      if (!parsed[id].is_string()) fail(ErrorKind::data, "{}: entry {} is not a string", path, id);
      put(id, parsed[id].get<std::string>());
    }
  } else {
    for (const auto& [piece, id] : parsed.items()) {
      if (!id.is_number_unsigned()) fail(ErrorKind::data, "{}: an id is not a natural number", path);
      put(id.get<size_t>(), piece);
    }
  }
  return pieces;
}

}  // namespace

std::vector<std::string> parse_pieces(std::string_view json, const std::string& path) {
  return pieces_by_id(parse_json(json, path), path);
}

std::vector<std::string> pieces_of_lines(std::string_view text, const std::string& path) {
  Json lines = Json::array();
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces_by_id(lines, path);
}

bool is_there(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(std::filesystem::symlink_status(path, unknown));
}

std::string read_model_text(const std::string& path) {
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  if (!unknown && size > limits::kLongestText)
    fail(ErrorKind::data, "{}: {} bytes; up to {} are read of settings and of lists of pieces", path, size,
         limits::kLongestText);
  return read_regular_file(path);
}

}  // namespace xf::tools::exchange
