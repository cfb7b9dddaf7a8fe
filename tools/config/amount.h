// A length of training with its unit, Marian's way: 100e, 300Ku, 2Gt, 2h. Shared by stopping, saving,
// validation, warm-up.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace xf::tools {

enum class AmountUnit : char {
  epochs = 'e',
  updates = 'u',
  tokens = 't',  // target tokens, </s> included
  hours = 'h',
  minutes = 'm',
};

struct Amount {
  double value = 0;
  AmountUnit unit = AmountUnit::updates;
  bool operator==(const Amount&) const = default;
};

// A number, then K, M or G (thousand, million, milliard) if wanted, then the unit; no unit means updates.
// Nothing where the text is not an amount or is negative.
std::optional<Amount> parse_amount(std::string_view text);

// The shortest text that parse_amount reads back: 8000u, 1.5h.
std::string to_string(const Amount& amount);

// A whole number with K, M or G if wanted: 8000, 8K. Nothing where the text is not one or does not fit.
std::optional<long long> parse_count(std::string_view text);

// A decimal number, all of the text; infinities and NaN are refused.
std::optional<double> parse_number(std::string_view text);

}  // namespace xf::tools
