// Numbers as text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace xf {

// The number that all of `text` is; nothing for any other text, and for a number that T does not
// hold. An f64 may be infinite or NaN.
template <typename T>
std::optional<T> number_in(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace xf
