#include "tools/config/output_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "core/error.h"
#include "data/unicode.h"

namespace xf::tools {

std::string format_of_ending(const std::string& path) {
  static const std::map<std::string, std::string> known = {
      {"htm", "html"}, {"html", "html"}, {"json", "json"}, {"md", "markdown"}, {"svg", "svg"}, {"csv", "csv"},
      {"tsv", "tsv"},  {"yaml", "yaml"}, {"yml", "yaml"},  {"xml", "xml"},     {"pdf", "pdf"}, {"png", "png"},
      {"jpg", "jpeg"}, {"jpeg", "jpeg"}, {"gif", "gif"},   {"webp", "webp"},   {"eps", "eps"}, {"ps", "ps"}};
  const std::string ending = data::lower_case(std::filesystem::path(path).extension().string());
  const auto found = known.find(ending.empty() ? "" : ending.substr(1));
  return found == known.end() ? "" : found->second;
}

void check_ending(const std::string& path, const std::string& format) {
  const std::string promised = format_of_ending(path);
  if (promised.empty() || promised == format) return;
  fail(ErrorKind::usage, "--output {}: the file would hold {}, not {}; give it another ending", path, format,
       promised);
}

void take_format_of_output(OptionList list) {
  const std::string path = list.at("output").text(), promised = format_of_ending(path);
  if (promised.empty()) return;
  const Option& format = list.at("format");
  const auto formats = values_of(format);
  if (std::ranges::find(formats, promised) == formats.end()) {
    fail(ErrorKind::usage, "--output {}: {} has no format {}, it has {}; another ending, as .txt, takes text",
         path, program_name(list.program()), promised, fmt::join(formats, ", "));
  }
  if (list.is_given("format")) return check_ending(path, format.text());
  list.apply({{"format", {promised}, "--output"}}, OptionList::Origin::user);
}

}  // namespace xf::tools
