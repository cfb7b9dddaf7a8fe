#include "tools/explain/page.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/unicode.h"

namespace xf::tools::explain {

size_t width_of(const std::string& line) { return data::to_utf32(line).size(); }

std::string wrapped(const std::string& text, size_t margin) {
  const std::string indent(margin, ' ');
  std::string all, line = indent;
  for (const std::string& word : split(text, ' ')) {
    if (line != indent && width_of(line) + 1 + width_of(word) > kPageColumns) {
      all += line + "\n";
      line = indent;
    }
    line += (line == indent ? "" : " ") + word;
  }
  return all + line + "\n";
}

std::vector<int64_t> extents_of(const Shape& shape) {
  std::vector<int64_t> extents;
  for (int axis = 0; axis < shape.rank(); ++axis) extents.push_back(shape[axis]);
  return extents;
}

std::string json_page(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void check_text(const OptionList& list) {
  for (const Option& option : list) {
    const bool is_path = option.value_name == "DIR" || option.value_name == "FILE";
    if (!option.is_text() || is_path) continue;
    for (const std::string& word : option.words()) {
      if (const auto bad = data::first_invalid_utf8(word))
        fail(ErrorKind::usage, "--{}: not UTF-8 from its byte {} on; give text in UTF-8", option.name,
             *bad + 1);
      if (word.find_first_of("\n\r") != std::string::npos)
        fail(ErrorKind::usage, "--{}: has a line break; give one line", option.name);
    }
  }
}

Tensor copy_of(const Tensor& value) {
  const Tensor copy = Tensor::empty(value.shape(), value.dtype());
  copy.copy_from(value);
  return copy;
}

}  // namespace xf::tools::explain
