#include "tools/inference/continued_text.h"

#include <string_view>

namespace xf::tools {

std::string continued_text(const std::string& beginning, std::span<const int32_t> ids, size_t given,
                           const data::Tokenizer& vocabulary) {
  const std::string whole = vocabulary.decode(ids), before = vocabulary.decode(ids.first(given));
  if (beginning.empty() || !whole.starts_with(before)) return whole;
  std::string_view added = std::string_view(whole).substr(before.size());
  // A vocabulary may not know of a space at the end, and begin its next word with one.
  if (beginning.ends_with(' ') && !before.ends_with(' ') && added.starts_with(' ')) added.remove_prefix(1);
  return beginning + std::string(added);
}

}  // namespace xf::tools
