// Lines of text in one form, and what that changed.
#pragma once

#include <string>
#include <vector>

namespace xf::data {

// What compose() did to some line, and what becomes of it in lower case.
struct Composition {
  bool as_written = false;
  bool lower_cased = false;  // fold_case() composes what lower_case() leaves apart

  bool changes(bool lowercase) const { return as_written || (lowercase && lower_cased); }
  void add(Composition other);
};

// Brings lines to normalisation form C, in which text that looks alike is alike; a line of which
// nothing shows becomes empty. That is how training reads them.
Composition compose(std::vector<std::string>& lines);

}  // namespace xf::data
