#include "tools/config/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "tools/console/nearest_name.h"

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

// 100000000, not 1e+08.
std::string limit_text(double limit) {
  const bool whole = limit == std::floor(limit) && std::abs(limit) < 1e15;
  return whole ? fmt::format("{:.0f}", limit) : fmt::format("{}", limit);
}

std::string range_text(const Option& option) {
  const bool has_minimum = option.minimum > -1e300, has_maximum = option.maximum < 1e300;
  const std::string minimum = limit_text(option.minimum), maximum = limit_text(option.maximum);
  if (has_minimum && has_maximum) return fmt::format("from {} to {}", minimum, maximum);
  return has_minimum ? "at least " + minimum : "at most " + maximum;
}

void check_range(const Option& option, double value, const std::string& word, const std::string& where) {
  if (value >= option.minimum && value <= option.maximum) return;
  fail(ErrorKind::usage, "{}: {} is out of range; it must be {}", where, word, range_text(option));
}

void check_choice(const Option& option, const std::string& word, const std::string& where) {
  const auto choices = split(option.choices, '|');
  if (std::ranges::find(choices, word) != choices.end()) return;
  fail(ErrorKind::usage, "{}: unknown value '{}'{} (one of {})", where, word, did_you_mean(word, choices),
       fmt::join(choices, ", "));
}

// A word as the value that it stands for.
void read(const Option&, const std::string& word, const std::string& where, bool& value) {
  if (word != "true" && word != "false")
    fail(ErrorKind::usage, "{}: '{}' is neither true nor false", where, word);
  value = word == "true";
}
void read(const Option& option, const std::string& word, const std::string& where, int64_t& value) {
  const auto count = parse_count(word);
  if (!count) fail(ErrorKind::usage, "{}: '{}' is not a whole number (as 8000 or 8K)", where, word);
  check_range(option, static_cast<double>(*count), word, where);
  value = *count;
}
void read(const Option& option, const std::string& word, const std::string& where, double& value) {
  const auto number = parse_number(word);
  if (!number) fail(ErrorKind::usage, "{}: '{}' is not a number", where, word);
  check_range(option, *number, word, where);
  value = *number;
}
void read(const Option& option, const std::string& word, const std::string& where, std::string& value) {
  if (!option.choices.empty()) check_choice(option, word, where);
  if (word.empty()) fail(ErrorKind::usage, "{}: the value is empty", where);
  value = word;
}
void read(const Option&, const std::string& word, const std::string& where, TrainingLength& value) {
  const auto length = parse_training_length(word);
  if (!length) {
    fail(ErrorKind::usage,
         "{}: '{}' is not a number with a unit (e epochs, u updates, t tokens, h hours, m minutes; as 8000u "
         "or 2Gt)",
         where, word);
  }
  value = *length;
}
template <typename T>
void read(const Option& option, const std::string& word, const std::string& where, std::optional<T>& value) {
  T one{};
  read(option, word, where, one);
  value = one;
}

void check_count(const Option& option, size_t size, const std::string& where) {
  const int count = static_cast<int>(size);
  if (count >= option.min_values && count <= option.max_values) return;
  const std::string wanted = option.min_values == option.max_values
                                 ? std::to_string(option.min_values)
                                 : fmt::format("{} to {}", option.min_values, option.max_values);
  fail(ErrorKind::usage, "{}: takes {} value{} ({}), got {}", where, wanted,
       option.max_values == 1 ? "" : "s", option.value_name, count);
}

template <typename T>
void read_all(const Option& option, const std::vector<std::string>& words, const std::string& where,
              T& value) {
  check_count(option, words.size(), where);
  read(option, words.front(), where, value);
}
// A choice that stands twice in a list is a slip.
void check_named_once(const Option& option, const std::vector<std::string>& words, const std::string& where) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (!option.choices.empty() && std::find(words.begin(), word, *word) != word)
      fail(ErrorKind::usage, "{}: {} is named twice", where, *word);
  }
}

template <typename T>
void read_all(const Option& option, const std::vector<std::string>& words, const std::string& where,
              std::vector<T>& values) {
  check_named_once(option, words, where);
  constexpr bool kByComma = std::is_same_v<T, TrainingLength> || std::is_same_v<T, int64_t>;
  std::vector<T> read_ones;
  for (const std::string& word : words) {
    for (const std::string& part : kByComma ? split_all(word, ',') : std::vector<std::string>{word})
      read(option, part, where, read_ones.emplace_back());
  }
  check_count(option, read_ones.size(), where);
  values = std::move(read_ones);
}

std::string word_of(bool value) { return value ? "true" : "false"; }
std::string word_of(const std::string& value) { return value; }
std::string word_of(const TrainingLength& value) { return to_string(value); }
std::string word_of(int64_t value) { return std::to_string(value); }
std::string word_of(double value) { return fmt::format("{}", value); }

template <typename T>
std::vector<std::string> words_of(const T& value) {
  return {word_of(value)};
}
std::vector<std::string> words_of(const std::string& value) {
  return value.empty() ? std::vector<std::string>{} : std::vector{value};
}
template <typename T>
std::vector<std::string> words_of(const std::optional<T>& value) {
  return value ? words_of(*value) : std::vector<std::string>{};
}
template <typename T>
std::vector<std::string> words_of(const std::vector<T>& values) {
  std::vector<std::string> words;
  for (const T& value : values) words.push_back(word_of(value));
  return words;
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

template <typename T>
struct Element {
  using type = T;
  static constexpr bool is_list = false;
};
template <typename T>
struct Element<std::optional<T>> : Element<T> {};
template <typename T>
struct Element<std::vector<T>> : Element<T> {
  static constexpr bool is_list = true;
};
template <typename T>
using ElementOf = Element<std::remove_pointer_t<T>>;

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

std::optional<TrainingLength> parse_training_length(std::string_view text) {
  const std::string_view units = "euthm";
  TrainingLength length;
  if (!text.empty() && units.find(text.back()) != std::string_view::npos) {
    length.unit = static_cast<TrainingLength::Unit>(text.back());
    text.remove_suffix(1);
  }
  const double multiplier = take_multiplier(text);
  const auto number = parse_number(text);
  if (!number || *number < 0) return std::nullopt;
  length.value = *number * multiplier;
  if (length.value > 1e18) return std::nullopt;  // beyond, nothing can be counted
  return length;
}

std::string to_string(const TrainingLength& length) {
  const auto unit = static_cast<char>(length.unit);
  const bool whole = length.value == std::floor(length.value) && length.value < 1e15;
  return whole ? fmt::format("{}{}", static_cast<long long>(length.value), unit)
               : fmt::format("{}{}", length.value, unit);
}

bool Option::is_list() const {
  return std::visit([]<typename T>(T) { return ElementOf<T>::is_list; }, field);
}

bool Option::is_text() const {
  return choices.empty() &&
         std::visit([]<typename T>(T) { return std::is_same_v<typename ElementOf<T>::type, std::string>; },
                    field);
}

std::vector<std::string> Option::words() const {
  return std::visit([](const auto* value) { return words_of(*value); }, field);
}

std::string Option::text() const { return fmt::format("{}", fmt::join(words(), " ")); }

std::string Option::toml() const {
  std::vector<std::string> values = words();
  for (std::string& word : values) {
    std::visit(
        [&]<typename T>(T) {
          using Value = typename ElementOf<T>::type;
          if (std::is_same_v<Value, double> && word.find_first_of(".e") == std::string::npos) word += ".0";
          if (std::is_same_v<Value, std::string> || std::is_same_v<Value, TrainingLength>)
            word = quoted(word);
        },
        field);
  }
  if (values.empty()) return "";
  return is_list() ? fmt::format("[{}]", fmt::join(values, ", ")) : values.front();
}

void Option::set(const std::vector<std::string>& words, const std::string& where) {
  std::visit([&](auto* value) { read_all(*this, words, where, *value); }, field);
}

std::vector<std::string> spellings_of(const Option& option) {
  std::vector<std::string> spellings = split(option.aliases, ' ');
  spellings.push_back("--" + std::string(option.name));
  return spellings;
}

std::vector<std::string> values_of(const Option& option) {
  return option.offered.empty() ? split(option.choices, '|') : option.offered;
}

std::string value_text(const Option& option) {
  return std::string(option.value_name.empty() ? option.choices : option.value_name);
}

std::string help_with_default(const Option& option) {
  std::string help(option.help);
  if (!option.choices.empty() && !option.value_name.empty()) help += fmt::format(" ({})", option.choices);
  const std::string value = option.text();
  if (!value.empty() && value != "false") help += fmt::format(" [{}]", value);
  return help;
}

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

const GivenOption* find_given(const GivenOptions& given, std::string_view name) {
  const auto found = std::ranges::find(given, name, &GivenOption::name);
  return found == given.end() ? nullptr : &*found;
}

const GivenOption* find_given(const GivenOptions& from_file, const GivenOptions& from_command_line,
                              std::string_view name) {
  const GivenOption* const option = find_given(from_command_line, name);
  return option ? option : find_given(from_file, name);
}

bool asks_for(const GivenOptions& given, std::string_view name) {
  const GivenOption* option = find_given(given, name);
  return option && option->words == std::vector<std::string>{"true"};
}

// "beam-size -b N": the name, other spellings, and what it takes.
void OptionList::add(OptionField field, std::string_view written, std::initializer_list<Rule> rules,
                     std::string_view help) {
  Option& option = options_.emplace_back();
  option.field = field, option.help = help, option.group = heading_, option.persistence = keep_;
  option.name = written.substr(0, written.find(' '));
  written.remove_prefix(std::min(option.name.size() + 1, written.size()));
  size_t end = 0;  // of the aliases
  while (end < written.size() && written[end] == '-')
    end = std::min(written.find(' ', end), written.size() - 1) + 1;
  option.aliases = written.substr(0, end);
  option.value_name = written.substr(end);
  for (const Rule& rule : rules) rule.apply(option);
}

void OptionList::add_common() {
  Configuration& all = *configuration_;
  OptionList& add = *this;
  const bool trains = program() == "xformer-train";
  group("general");
  add(all.config, "config -c FILE", {Persistence::never, trains ? AmongRanks::own : AmongRanks::equal},
      trains ? "TOML file with the same names; the command line overrides it, and it overrides the task"
             : "TOML file with the same names; the command line overrides it");
  add(all.dump_config, "dump-config", {Persistence::never}, "print the effective configuration, and exit");
  add(all.quiet, "quiet -q", {Persistence::once, AmongRanks::own}, "errors only");
  add(all.help, "help -h", {Persistence::never}, "print the most important options, and exit");
  add(all.help_all, "help-all", {Persistence::never}, "print all options, and exit");
  add(all.version, "version", {Persistence::never}, "print the version, and exit");
  add(all.build_info, "build-info", {Persistence::never},
      "print compiler, flags, libraries and devices, and exit");
}

const Option* OptionList::find(std::string_view name) const {
  const auto found = std::ranges::find(options_, name, &Option::name);
  return found == options_.end() ? nullptr : &*found;
}

const Option& OptionList::at(std::string_view name) const {
  const Option* const option = find(name);
  XF_CHECK(option, "options: {} has no option '{}'", program(), name);
  return *option;
}

std::vector<std::string> OptionList::names(bool of_files) const {
  std::vector<std::string> names;
  for (const Option& option : options_) {
    if (!of_files || option.persistence != Persistence::never) names.emplace_back(option.name);
  }
  return names;
}

void OptionList::require(std::string_view name) const {
  const Option& option = at(name);
  if (option.is_set()) return;
  fail(ErrorKind::usage, "{} needs --{} {}; see {} --help", program(), name, value_text(option), program());
}

void OptionList::apply(const GivenOptions& given, Origin origin) {
  for (const GivenOption& one : given) {
    const auto option = std::ranges::find(options_, one.name, &Option::name);
    XF_CHECK(option != options_.end(), "options: {} has no option '{}'", program(), one.name);
    option->set(one.words, one.where);
    if (origin == Origin::user)
      configuration_->given.insert(one.name);
    else
      configuration_->given.erase(one.name);
  }
}

std::string OptionList::to_toml() const {
  std::string text;
  std::string_view group;
  for (const Option& option : options_) {
    if (option.persistence == Persistence::once || option.persistence == Persistence::never ||
        !option.is_set())
      continue;
    if (option.group != group) text += fmt::format("{}# {}\n", text.empty() ? "" : "\n", option.group);
    group = option.group;
    text += fmt::format("{} = {}\n", option.name, option.toml());
  }
  return text;
}

std::vector<ChangedOption> changed_options(const OptionList& before, const OptionList& now) {
  std::vector<ChangedOption> changes;
  for (const Option& option : now) {
    // What fits in the workspace is what a batch holds.
    const bool sizes_batches = option.name == "workspace" && now.at("mini-batch-fit").text() == "true";
    if (option.persistence != Persistence::fixed && !sizes_batches) continue;
    const std::string old = before.at(option.name).toml(), value = option.toml();
    if (old != value) changes.push_back({std::string(option.name), old, value});
  }
  std::ranges::sort(changes, {}, &ChangedOption::name);
  return changes;
}

}  // namespace xf::tools
