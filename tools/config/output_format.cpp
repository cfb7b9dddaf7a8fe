#include "tools/config/output_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "core/error.h"
#include "data/unicode.h"
#include "tools/config/option_value.h"

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

Options with_format_of_output(const Options& options) {
  const std::string& path = options.get_string("output");
  const std::string promised = format_of_ending(path);
  if (promised.empty()) return options;
  const auto formats = split_all(std::string(find_option(options.program(), "format")->choices), '|');
  if (std::ranges::find(formats, promised) == formats.end()) {
    fail(ErrorKind::usage, "--output {}: {} has no format {}, it has {}; another ending, as .txt, takes text",
         path, program_name(options.program()), promised, fmt::join(formats, ", "));
  }
  if (options.is_given("format")) return check_ending(path, options.get_string("format")), options;
  Options chosen = options;
  chosen.apply({{"format", {promised}, "--output"}}, Options::Origin::user);
  return chosen;
}

}  // namespace xf::tools
