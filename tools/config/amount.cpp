#include "tools/config/amount.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

namespace xf::tools {
namespace {

// Takes a trailing K, M or G away and returns what it stands for.
double take_multiplier(std::string_view& text) {
  const std::string_view letters = "KMG";
  const auto power = text.empty() ? std::string_view::npos : letters.find(text.back());
  if (power == std::string_view::npos) return 1;
  text.remove_suffix(1);
  return std::pow(1000.0, static_cast<double>(power + 1));
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<long long> parse_count(std::string_view text) {
  const double multiplier = take_multiplier(text);
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const double product = static_cast<double>(value) * multiplier;
  if (std::abs(product) > 9e18) return std::nullopt;
  return value * static_cast<long long>(multiplier);
}

std::optional<Amount> parse_amount(std::string_view text) {
  const std::string_view units = "euthm";
  Amount amount;
  if (!text.empty() && units.find(text.back()) != std::string_view::npos) {
    amount.unit = static_cast<AmountUnit>(text.back());
    text.remove_suffix(1);
  }
  const double multiplier = take_multiplier(text);
  const auto number = parse_number(text);
  if (!number || *number < 0) return std::nullopt;
  amount.value = *number * multiplier;
  if (amount.value > 1e18) return std::nullopt;  // beyond, nothing can be counted
  return amount;
}

std::string to_string(const Amount& amount) {
  const auto unit = static_cast<char>(amount.unit);
  const bool whole = amount.value == std::floor(amount.value) && amount.value < 1e15;
  return whole ? fmt::format("{}{}", static_cast<long long>(amount.value), unit)
               : fmt::format("{}{}", amount.value, unit);
}

}  // namespace xf::tools
