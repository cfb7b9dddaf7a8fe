#include "data/composition.h"

#include "data/unicode.h"

namespace xf::data {

void Composition::add(Composition other) {
  as_written = as_written || other.as_written;
  lower_cased = lower_cased || other.lower_cased;
}

Composition compose(std::vector<std::string>& lines) {
  Composition result;
  for (std::string& line : lines) {
    const bool hidden = !line.empty() && is_blank(line);
    if (hidden || !is_nfc(line)) {
      line = hidden ? "" : normalize_nfc(line);
      result.as_written = true;
    }
    result.lower_cased = result.lower_cased || !is_nfc(lower_case(line));
  }
  return result;
}

}  // namespace xf::data
