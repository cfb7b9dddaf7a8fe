#include "tools/config/option_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "tools/config/amount.h"
#include "tools/console/nearest_name.h"

namespace xf::tools {
namespace {

// 100000000, not 1e+08.
std::string limit_text(double limit) {
  const bool whole = limit == std::floor(limit) && std::abs(limit) < 1e15;
  return whole ? fmt::format("{:.0f}", limit) : fmt::format("{}", limit);
}

std::string range_text(const OptionSpec& spec) {
  const bool has_minimum = spec.minimum > -1e300, has_maximum = spec.maximum < 1e300;
  const std::string minimum = limit_text(spec.minimum), maximum = limit_text(spec.maximum);
  if (has_minimum && has_maximum) return fmt::format("from {} to {}", minimum, maximum);
  return has_minimum ? "at least " + minimum : "at most " + maximum;
}

void check_range(const OptionSpec& spec, double value, const std::string& word, const std::string& where) {
  if (value >= spec.minimum && value <= spec.maximum) return;
  fail(ErrorKind::usage, "{}: {} is out of range; it must be {}", where, word, range_text(spec));
}

std::string check_boolean(const std::string& word, const std::string& where) {
  if (word == "true" || word == "false") return word;
  fail(ErrorKind::usage, "{}: '{}' is neither true nor false", where, word);
}

std::string check_integer(const OptionSpec& spec, const std::string& word, const std::string& where) {
  const auto value = parse_count(word);
  if (!value) fail(ErrorKind::usage, "{}: '{}' is not a whole number (as 8000 or 8K)", where, word);
  check_range(spec, static_cast<double>(*value), word, where);
  return std::to_string(*value);
}

std::string check_real(const OptionSpec& spec, const std::string& word, const std::string& where) {
  const auto value = parse_number(word);
  if (!value) fail(ErrorKind::usage, "{}: '{}' is not a number", where, word);
  check_range(spec, *value, word, where);
  return fmt::format("{}", *value);
}

std::string check_choice(const OptionSpec& spec, const std::string& word, const std::string& where) {
  const auto choices = split(spec.choices, '|');
  if (std::ranges::find(choices, word) != choices.end()) return word;
  fail(ErrorKind::usage, "{}: unknown value '{}'{}{}", where, word, did_you_mean(word, choices),
       fmt::format(" (one of {})", fmt::join(choices, ", ")));
}

std::string check_amount(const std::string& word, const std::string& where) {
  const auto amount = parse_amount(word);
  if (amount) return to_string(*amount);
  fail(ErrorKind::usage,
       "{}: '{}' is not a number with a unit (e epochs, u updates, t tokens, h hours, m minutes; as 8000u or "
       "2Gt)",
       where, word);
}

std::string check_value(const OptionSpec& spec, const std::string& word, const std::string& where) {
  switch (spec.type) {
    case OptionType::boolean: return check_boolean(word, where);
    case OptionType::integer: return check_integer(spec, word, where);
    case OptionType::real: return check_real(spec, word, where);
    case OptionType::choice: return check_choice(spec, word, where);
    case OptionType::amount: return check_amount(word, where);
    case OptionType::text: break;
  }
  if (word.empty()) fail(ErrorKind::usage, "{}: the value is empty", where);
  return word;
}

std::string quoted(const std::string& word) {
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      text += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      text += c;
    }
  }
  return text + '"';
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts = split_all(text, separator);
  std::erase(parts, "");
  return parts;
}

std::vector<std::string> split_all(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t end; (end = text.find(separator)) != std::string_view::npos; text.remove_prefix(end + 1))
    parts.emplace_back(text.substr(0, end));
  parts.emplace_back(text);
  return parts;
}

std::vector<std::string> check_values(const OptionSpec& spec, const std::vector<std::string>& words,
                                      const std::string& where) {
  std::vector<std::string> values;
  for (const std::string& word : words) {
    const bool comma_list =
        spec.is_list() && (spec.type == OptionType::amount || spec.type == OptionType::integer);
    const auto parts = comma_list ? split_all(word, ',') : std::vector<std::string>{word};
    for (const std::string& part : parts) values.push_back(check_value(spec, part, where));
  }
  const int count = static_cast<int>(values.size());
  if (count < spec.min_values || count > spec.max_values) {
    const std::string wanted = spec.min_values == spec.max_values
                                   ? std::to_string(spec.min_values)
                                   : fmt::format("{} to {}", spec.min_values, spec.max_values);
    fail(ErrorKind::usage, "{}: takes {} value{} ({}), got {}", where, wanted,
         spec.max_values == 1 ? "" : "s", spec.value_name, count);
  }
  return values;
}

std::string toml_value(const OptionSpec& spec, const std::string& word) {
  switch (spec.type) {
    case OptionType::boolean:
    case OptionType::integer: return word;
    case OptionType::real: return word.find_first_of(".e") == std::string::npos ? word + ".0" : word;
    default: return quoted(word);
  }
}

}  // namespace xf::tools
