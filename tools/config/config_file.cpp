#include "tools/config/config_file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include "core/error.h"
#include "core/file.h"
#include "core/registered.h"
#include "tools/config/foreign_names.h"
#include "tools/config/former_names.h"
#include "tools/console/nearest_name.h"

namespace xf::tools {
namespace {

// A TOML value as the word that the command line would have.
std::string word_of(const toml::node& node, const std::string& where) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  if (const auto whole = node.value_exact<int64_t>()) return std::to_string(*whole);
  if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  fail(ErrorKind::usage, "{}: the value must be a number, a text, true, false or a list of these", where);
}

std::vector<std::string> words_of(const toml::node& node, const Option& spec, const std::string& where) {
  const toml::array* list = node.as_array();
  if (!list) return {word_of(node, where)};
  if (!spec.is_list()) fail(ErrorKind::usage, "{}: takes one value, not a list", where);
  std::vector<std::string> words;
  for (const toml::node& element : *list) words.push_back(word_of(element, where));
  return words;
}

const Option& known_key(const OptionList& list, const std::string& key, const toml::node& value,
                        const std::string& place) {
  if (value.is_table()) {
    fail(ErrorKind::usage, "{}: '{}' is a table; the file is flat, so write its keys without [..] and dots",
         place, key);
  }
  const Option* spec = find_of_any_version(list, key);
  if (!spec) {
    fail(ErrorKind::usage, "{}: unknown key '{}'{}", place, key, suggestion(key, list.names(true)));
  }
  if (spec->persistence == Persistence::never) {
    fail(ErrorKind::usage, "{}: '{}' belongs on the command line (--{}), not in a file", place, key, key);
  }
  return *spec;
}

// The library makes a table of each part of a dotted key and lets go of them by recursion: a line
// of 100,000 dots would overflow the stack.
void check_dots(const std::string& text, const std::string& name) {
  constexpr int kMostDots = 1000;
  int line = 1, dots = 0;
  for (const char c : text) {
    if (c == '\n') ++line, dots = 0;
    if (c == '.' && ++dots > kMostDots)
      fail(ErrorKind::usage, "{}:{}: a line of more than {} dots; this is not a config file", name, line,
           kMostDots);
  }
}

bool is_toml(const std::string& text) {
  try {
    static_cast<void>(toml::parse(text));
    return true;
  } catch (const toml::parse_error&) {
    return false;
  }
}

// For `task = demo` and `after = 3e`, a word without its quotes; else nothing.
std::string quotes_hint(const std::string& text, unsigned line_number) {
  std::istringstream lines(text);
  std::string line, more;
  for (unsigned i = 0; i < line_number; ++i) std::getline(lines, line);
  const size_t sign = line.find('=');
  if (sign == std::string::npos) return "";
  std::istringstream left(line.substr(0, sign)), right(line.substr(sign + 1));
  std::string key, word;
  const bool alone = left >> key && right >> word && !(right >> more);
  if (!alone || word.find_first_of("\"'[]{}=#") != std::string::npos || is_toml("x = " + word)) return "";
  return fmt::format("; put texts and amounts with a unit in quotes: {} = \"{}\"", key, word);
}

// By its first line that says something: `---`, `- word` or `key: value`.
bool begins_as_yaml(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    const size_t colon = line.find(':');
    const bool of_map = colon < line.find('=') && (colon + 1 == line.size() ||
                                                   std::isspace(static_cast<unsigned char>(line[colon + 1])));
    return line.starts_with("---") || line.starts_with("%YAML") || line.substr(first).starts_with("- ") ||
           of_map;
  }
  return false;
}

// Of a text that is no TOML: "JSON" or "YAML" if it begins as one, or is called so; else "".
std::string other_format(const std::string& text, const std::string& name) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  const bool braced = first != std::string::npos && text[first] == '{';
  if (braced || name.ends_with(".json")) return "JSON";
  return name.ends_with(".yml") || name.ends_with(".yaml") || begins_as_yaml(text) ? "YAML" : "";
}

void refuse_other_formats(const std::string& text, const std::string& name) {
  const std::string format = other_format(text, name);
  if (format.empty()) return;
  fail(ErrorKind::usage,
       "{}: is {}, and a configuration must be TOML: a line `key = value` for each option, texts in quotes, "
       "lists in [..], no nesting; xformer-train --dump-config prints one",
       name, format);
}

toml::table parsed(const std::string& text, const std::string& name) {
  check_dots(text, name);
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    refuse_other_formats(text, name);
    const unsigned line = error.source().begin.line;
    fail(ErrorKind::usage, "{}:{}: {}{}", name, line, error.description(), quotes_hint(text, line));
  }
}

GivenOptions options_in(const toml::table& table, const OptionList& list, const std::string& name) {
  std::vector<std::pair<unsigned, GivenOption>> by_line;  // a toml::table is sorted by key
  for (const auto& [toml_key, node] : table) {
    const std::string key(toml_key.str());
    if (find_removed(list.program(), key)) continue;
    const unsigned line = toml_key.source().begin.line;
    const std::string place = fmt::format("{}:{}", name, line);
    const Option& spec = known_key(list, key, node, place);
    const std::string where = fmt::format("{}: key '{}'", place, key);
    GivenOption option = {std::string(spec.name), words_of(node, spec, where), where};
    if (spec.name != key) {
      if (table.contains(spec.name))
        fail(ErrorKind::usage, "{}: '{}' is now called '{}', and is given twice", place, key, spec.name);
      option.renamed.push_back(fmt::format("{} is now called '{}'", where, spec.name));
    }
    rename_words(spec, option);
    by_line.emplace_back(line, std::move(option));
  }
  std::ranges::stable_sort(by_line, {}, [](const auto& entry) { return entry.first; });
  GivenOptions options;
  for (auto& [line, option] : by_line) options.push_back(std::move(option));
  return options;
}

void refuse_removed(const toml::table& table, const OptionList& list, const std::string& name) {
  for (const auto& [key, node] : table) {
    const RemovedOption* const removed = find_removed(list.program(), key.str());
    if (!removed || table[removed->needed].value_or(0.0) == 0) continue;
    fail(ErrorKind::usage,
         "{}:{}: key '{}': {}; leave it out, or start from the model that was trained so: --pretrained-model",
         name, key.source().begin.line, removed->name, removed->why);
  }
}

}  // namespace

GivenOptions parse_config(const OptionList& list, const std::string& text, const std::string& name) {
  return options_in(parsed(text, name), list, name);
}

GivenOptions read_config(const OptionList& list, const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    fail(ErrorKind::usage, "config file {} {}", path,
         error ? fmt::format("cannot be read: {}", error.message()) : "does not exist");
  }
  const toml::table table = parsed(read_file(path), path);
  refuse_removed(table, list, path);
  return options_in(table, list, path);
}

std::string config_as_json(const std::string& text, const std::string& name) {
  std::ostringstream json;
  json << toml::json_formatter(parsed(text, name));
  return json.str();
}

const Preset& find_preset(const std::string& name) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    if (preset.name == name && !preset.text) fail_without_tutorials(name);
    if (preset.name == name) return preset;
    names.emplace_back(preset.name);
  }
  fail(ErrorKind::usage, "unknown task '{}'{} (one of {})", name, did_you_mean(name, names),
       fmt::join(names, ", "));
}

GivenOptions options_of_preset(const OptionList& list, const std::string& name) {
  const Preset& preset = find_preset(name);
  const std::string place = fmt::format("preset {}", name);
  toml::table table = parsed(preset.text, place);
  const std::string extended = table["extends"].value_or("");
  table.erase("extends");
  GivenOptions options = extended.empty() ? GivenOptions{} : options_of_preset(list, extended);
  for (const GivenOption& own : options_in(table, list, place)) {
    std::erase_if(options, [&](const GivenOption& option) { return option.name == own.name; });
    options.push_back(own);
  }
  return options;
}

}  // namespace xf::tools
