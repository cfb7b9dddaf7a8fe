#include "tools/config/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "tools/config/option_value.h"
#include "tools/config/program_commands.h"

namespace xf::tools {
namespace {

std::string toml_text(const OptionSpec& spec, const std::vector<std::string>& words) {
  std::vector<std::string> values;
  for (const std::string& word : words) values.push_back(toml_value(spec, word));
  return spec.is_list() ? fmt::format("[{}]", fmt::join(values, ", ")) : values.empty() ? "" : values.front();
}

}  // namespace

Options::Options(Program program) : program_(program) {
  for (const OptionSpec& spec : option_table()) {
    if (!spec.accepted_by(program)) continue;
    Value& value = values_[std::string(spec.name)];
    value.spec = &spec;
    if (spec.default_value.empty() || spec.default_value == kByTask) continue;
    value.words = check_values(spec, split(spec.default_value, ' '), fmt::format("default of {}", spec.name));
  }
}

const Options::Value& Options::value_of(std::string_view name) const {
  const auto found = values_.find(name);
  XF_CHECK(found != values_.end(), "options: {} has no option '{}'", program_name(program_), name);
  return found->second;
}

const std::vector<std::string>& Options::words_of(std::string_view name, OptionType type) const {
  const Value& value = value_of(name);
  const bool is_text = value.spec->type == OptionType::choice && type == OptionType::text;
  XF_CHECK(value.spec->type == type || is_text, "options: '{}' is read as another type than the table says",
           name);
  return value.words;
}

const std::string& Options::word_of(std::string_view name, OptionType type) const {
  const auto& words = words_of(name, type);
  XF_CHECK(words.size() == 1, "options: '{}' is read as one value and has {}", name, words.size());
  return words.front();
}

const std::string& Options::get_string(std::string_view name) const {
  return word_of(name, OptionType::text);
}
int64_t Options::get_int(std::string_view name) const {
  return *parse_count(word_of(name, OptionType::integer));
}
double Options::get_float(std::string_view name) const {
  return *parse_number(word_of(name, OptionType::real));
}
bool Options::get_bool(std::string_view name) const {
  const auto& words = words_of(name, OptionType::boolean);
  return !words.empty() && words.front() == "true";
}
Amount Options::get_amount(std::string_view name) const {
  return *parse_amount(word_of(name, OptionType::amount));
}

const std::vector<std::string>& Options::get_strings(std::string_view name) const {
  return words_of(name, OptionType::text);
}
std::vector<int64_t> Options::get_ints(std::string_view name) const {
  std::vector<int64_t> numbers;
  for (const std::string& word : words_of(name, OptionType::integer)) numbers.push_back(*parse_count(word));
  return numbers;
}
std::vector<double> Options::get_floats(std::string_view name) const {
  std::vector<double> numbers;
  for (const std::string& word : words_of(name, OptionType::real)) numbers.push_back(*parse_number(word));
  return numbers;
}
std::vector<Amount> Options::get_amounts(std::string_view name) const {
  std::vector<Amount> amounts;
  for (const std::string& word : words_of(name, OptionType::amount)) amounts.push_back(*parse_amount(word));
  return amounts;
}

bool Options::is_set(std::string_view name) const { return !value_of(name).words.empty(); }
bool Options::is_given(std::string_view name) const { return value_of(name).given; }

void Options::require(std::string_view name) const {
  if (is_set(name)) return;
  fail(ErrorKind::usage, "{} needs --{} {}; see {} --help", program_name(program_), name,
       value_text(*value_of(name).spec), program_name(program_));
}

std::string Options::text_of(std::string_view name) const {
  return fmt::format("{}", fmt::join(value_of(name).words, " "));
}

void Options::apply(const std::vector<GivenOption>& given, Origin origin) {
  for (const GivenOption& option : given) {
    Value& value = values_.at(option.name);
    value.words = check_values(*value.spec, option.words, option.where);
    value.given = origin == Origin::user;
  }
}

std::string Options::to_toml() const {
  std::string text;
  std::string_view group;
  for (const OptionSpec& spec : option_table()) {
    if (!spec.accepted_by(program_) || spec.keep == Keep::once || spec.keep == Keep::never) continue;
    const auto& words = values_.at(std::string(spec.name)).words;
    if (words.empty()) continue;
    if (spec.group != group) text += fmt::format("{}# {}\n", text.empty() ? "" : "\n", spec.group);
    group = spec.group;
    text += fmt::format("{} = {}\n", spec.name, toml_text(spec, words));
  }
  return text;
}

std::vector<ChangedOption> Options::changed_keys(const Options& before) const {
  std::vector<ChangedOption> changes;
  for (const auto& [name, value] : values_) {
    // What fits in the workspace is what a batch holds.
    const bool sizes_batches = name == "workspace" && get_bool("mini-batch-fit");
    if (value.spec->keep != Keep::fixed && !sizes_batches) continue;
    const auto& old = before.value_of(name).words;
    if (old == value.words) continue;
    changes.push_back({name, old.empty() ? "" : toml_text(*value.spec, old),
                       value.words.empty() ? "" : toml_text(*value.spec, value.words)});
  }
  return changes;
}

}  // namespace xf::tools
