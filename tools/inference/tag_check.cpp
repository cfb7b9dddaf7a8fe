#include "tools/inference/tag_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/language_tags.h"
#include "data/unicode.h"

namespace xf::tools {

namespace {

constexpr std::string_view kOpen = ">>";

}  // namespace

TagCheck::TagCheck(const data::Tokenizer& source) : tags_(source.tags()) {
  // Others may stand there or not, and look like words.
  std::erase_if(tags_, [](const std::string& tag) { return !tag.starts_with(kOpen); });
}

std::string TagCheck::choice() const {
  constexpr size_t kShown = 8;
  const std::vector<std::string> shown(
      tags_.begin(), tags_.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, tags_.size())));
  return fmt::format("{}{}", fmt::join(shown, " "),
                     tags_.size() > kShown ? fmt::format(" and {} more", tags_.size() - kShown) : "");
}

std::optional<std::string> TagCheck::warning(std::string_view line, const std::string& where) {
  if (tags_.size() < 2 || data::split_on_space(line).empty()) return std::nullopt;
  std::string_view tag = data::leading_tag(line);
  if (!tag.starts_with(kOpen)) {
    if (std::exchange(told_missing_, true)) return std::nullopt;
    return fmt::format(
        "{}: does not begin with a language tag, and the model has several; begin lines with one of {}",
        where, choice());
  }
  for (; tag.starts_with(kOpen); tag = data::leading_tag(line)) {
    const auto is_tag = [&](const std::string& known) {
      return data::lower_case(known) == data::lower_case(tag);
    };
    if (std::ranges::none_of(tags_, is_tag)) {
      if (std::exchange(told_unknown_, true)) return std::nullopt;
      return fmt::format("{}: {} is unknown to the model; it has {}", where, tag, choice());
    }
    line.remove_prefix(static_cast<size_t>(tag.end() - line.begin()));
  }
  return std::nullopt;
}

}  // namespace xf::tools
