#include "tools/tutorials/commands.h"

#include <fmt/format.h>

#include "core/error.h"
#include "tools/tutorials/quirk_table.h"
#include "tools/tutorials/steps.h"

namespace xf::tutorials {

using namespace tools::explain;

namespace {

std::string list_of_rooms() {
  std::string text = "xformer-explain quirk QN, for one of these; docs/variants says more\n\n";
  for (const QuirkRow& row : quirk_table())
    text += fmt::format("  {:<4} {:<52} {}\n", row.id, row.title, row.found_in);
  return text;
}

}  // namespace

std::string steps_page(const tools::StepsOptions& options) {
  Walk walk = walk_by_hand();
  if (!options.step.empty()) walk = only(std::move(walk), options.step);
  const std::string& format = options.format;
  if (format == "json") return to_json(walk);
  if (format == "svg") return to_svg(walk);
  return format == "html" ? to_html(walk) : to_text(walk);
}

std::string quirk_page(const tools::QuirkOptions& options) {
  const std::string& format = options.format;
  if (options.quirk.empty()) {
    if (format != "text")
      fail(ErrorKind::usage, "--format {}: the list of quirks is text; name one, as Q1", format);
    return list_of_rooms();
  }
  const QuirkRoom room = quirk_room(options.quirk);
  if (format == "json") return to_json(room);
  if (format == "html") return to_html(room);
  return format == "svg" ? to_svg(room) : to_text(room);
}

std::vector<std::string> quirk_ids() {
  std::vector<std::string> ids;
  for (const QuirkRow& row : quirk_table()) ids.emplace_back(row.id);
  return ids;
}

}  // namespace xf::tutorials
