#include "tools/tutorials/quirk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "tools/tutorials/quirk_table.h"

namespace xf::tools::explain {

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
  fail(ErrorKind::usage, "no quirk '{}' is shown here; these are: {} (Q26 cannot be shown: docs/variants)",
       name, fmt::join(ids, ", "));
}

}  // namespace xf::tools::explain
