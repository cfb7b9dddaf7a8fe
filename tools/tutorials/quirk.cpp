#include "tools/tutorials/quirk.h"
#include "tools/config/explain_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "tools/tutorials/quirk_table.h"

namespace xf::tools::explain {

namespace {

std::string list_of_rooms() {
  std::string text = "xformer-explain quirk QN, for one of these; docs/quirks.md says more\n\n";
  for (const QuirkRow& row : quirk_table())
    text += fmt::format("  {:<4} {:<52} {}\n", row.id, row.title, row.found_in);
  return text;
}

}  // namespace

double QuirkRoom::number(const std::string& what) const {
  const auto found = std::ranges::find(numbers, what, &QuirkNumber::what);
  if (found == numbers.end()) fail(ErrorKind::failure, "{} has no number '{}'", id, what);
  return found->value;
}

QuirkRoom quirk_room(const std::string& name) {
  std::string id = name;
  if (!id.empty()) id[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(id[0])));
  std::vector<std::string> ids;
  for (const QuirkRow& row : quirk_table()) {
    ids.emplace_back(row.id);
    if (id != row.id) continue;
    QuirkRoom room{row.id, row.title, row.found_in, row.option, row.quirk, row.correct, {}, {}, {}};
    row.show(room);
    return room;
  }
  fail(ErrorKind::usage, "no quirk '{}' is shown here; these are: {} (Q26 cannot be shown: docs/quirks.md)",
       name, fmt::join(ids, ", "));
}

std::string quirk(const QuirkOptions& options) {
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

}  // namespace xf::tools::explain
