// The settings that lie beside another toolkit's weights: a JSON object, read strictly.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace xf::tools::exchange {

class Settings {
 public:
  // Error data, naming `path`, for a text that is no JSON object.
  static Settings parse(std::string_view text, const std::string& path);
  static Settings read(const std::string& path);

  // A value. Error data, naming the key, if it is of another kind; nothing if it is missing or
  // null.
  std::optional<int64_t> integer(const char* key) const;
  std::optional<double> number(const char* key) const;
  std::optional<bool> flag(const char* key) const;
  std::optional<std::string> text(const char* key) const;
  // Of any kind; null if it is missing or null.
  const nlohmann::json* find(const char* key) const;
  // Whether it is there and says null; whether it says true, where it may be of several kinds.
  bool is_null(const char* key) const;
  bool is_true(const char* key) const;
  // Error data if it is missing.
  int64_t required_integer(const char* key) const;

  // Error usage "PATH: KEY is true; WHY" where the flag is not as it must be; `usual`: what it is
  // where it is missing.
  void require_flag(const char* key, bool wanted, bool usual, const char* why) const;

  const std::string& path() const { return path_; }

 private:
  Settings(nlohmann::json json, std::string path) : json_(std::move(json)), path_(std::move(path)) {}
  [[noreturn]] void refuse(const char* key, const char* expected) const;

  nlohmann::json json_;
  std::string path_;
};

// Strings by id from a list of them, or from an object of ids by string, which must be 0 to n - 1.
// Error data, naming `path`: no such JSON, an id that is missing or stands twice, a string that
// stands twice or is empty.
std::vector<std::string> parse_pieces(std::string_view json, const std::string& path);

// The same of a text with a string on each line, which ends with a line feed and with nothing else.
std::vector<std::string> pieces_of_lines(std::string_view text, const std::string& path);

// Of texts that lie in the folder of a model. Whether there is something to read, or a link that
// leads nowhere, which reading names.
bool is_there(const std::string& path);

// Error data for one that is missing or no regular file, which a pipe is not, and for one that is
// longer than such texts are.
std::string read_model_text(const std::string& path);

}  // namespace xf::tools::exchange
