#include "tools/console/shell_word.h"

#include <algorithm>
#include <cctype>

namespace xf::tools {

std::string single_quoted(std::string_view text, std::string_view quote) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += quote;
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::string shell_word(const std::string& text) {
  const bool plain = std::ranges::all_of(text, [](unsigned char c) {
    return c >= 0x80 || std::isalnum(c) != 0 ||
           std::string_view("_-+./,:=@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  return plain && !text.empty() ? text : single_quoted(text);
}

std::string shell_words(const std::vector<std::string>& texts) {
  std::string line;
  for (const std::string& text : texts) line += (line.empty() ? "" : " ") + shell_word(text);
  return line;
}

}  // namespace xf::tools
