#include "tools/exchange/yaml.h"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <set>

#include "core/error.h"

namespace xf::tools::exchange {

namespace {

YAML::Node mapping(std::string_view text, const std::string& path) {
  YAML::Node node;
  try {
    node = YAML::Load(std::string(text));
  } catch (const YAML::Exception& error) {
    fail(ErrorKind::data, "{}: no YAML: line {}: {}; copy it again", path, error.mark.line + 1, error.msg);
  }
  if (!node.IsMap()) fail(ErrorKind::data, "{}: not names with values; copy it again", path);
  return node;
}

}  // namespace

std::map<std::string, std::vector<std::string>> parse_yaml_options(std::string_view text,
                                                                   const std::string& path) {
  std::map<std::string, std::vector<std::string>> options;
  for (const auto& entry : mapping(text, path)) {
    if (!entry.first.IsScalar()) continue;
    std::vector<std::string>& words = options[entry.first.Scalar()];
    if (entry.second.IsScalar()) words.push_back(entry.second.Scalar());
    if (!entry.second.IsSequence()) continue;
    for (const auto& word : entry.second) {
      if (word.IsScalar()) words.push_back(word.Scalar());
    }
  }
  return options;
}

std::vector<std::string> parse_yaml_pieces(std::string_view text, const std::string& path) {
  const YAML::Node node = mapping(text, path);
  std::vector<std::string> pieces(node.size());
  std::set<std::string> seen;
  for (const auto& entry : node) {
    const std::string& piece = entry.first.Scalar();
    const std::string& word = entry.second.Scalar();
    size_t id = pieces.size();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || end != word.data() + word.size() || id >= pieces.size() ||
        !pieces[id].empty())
      fail(ErrorKind::data, "{}: the ids are not 0 to {}, each once: see '{}'", path, pieces.size() - 1,
           word);
    if (piece.empty() || !seen.insert(piece).second)
      fail(ErrorKind::data, "{}: piece {} is empty or stands there twice", path, id);
    pieces[id] = piece;
  }
  return pieces;
}

}  // namespace xf::tools::exchange
