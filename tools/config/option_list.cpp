#include "tools/config/option_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace xf::tools {

Option& OptionList::add(OptionField field, std::string_view name, std::string_view value_name,
                        std::string_view help) {
  Option option;
  option.field = field;
  option.name = name;
  option.value_name = value_name;
  option.help = help;
  option.group = heading_;
  option.keep = keep_;
  return options_.emplace_back(option);
}

void OptionList::add_common() {
  Configuration& all = *configuration_;
  const bool trains = program() == Program::train;
  group("general");
  Option& config =
      add(all.config, "config", "FILE",
          trains ? "TOML file with the same names; the command line goes before it, the task after it"
                 : "TOML file with the same names; the command line goes before it");
  config.alias("-c").keeps(Keep::never);
  if (trains) config.of_ranks(AmongRanks::own);
  add(all.dump_config, "dump-config", "print the effective configuration, and end").keeps(Keep::never);
  add(all.quiet, "quiet", "errors only").alias("-q").keeps(Keep::once).of_ranks(AmongRanks::own);
  add(all.help, "help", "print the options that matter most, and end").alias("-h").keeps(Keep::never);
  add(all.help_all, "help-all", "print every option, and end").keeps(Keep::never);
  add(all.version, "version", "print the version, and end").keeps(Keep::never);
  add(all.build_info, "build-info", "print compiler, flags, libraries and devices, and end")
      .keeps(Keep::never);
}

const Option* OptionList::find(std::string_view name) const {
  const auto found = std::ranges::find(options_, name, &Option::name);
  return found == options_.end() ? nullptr : &*found;
}

const Option& OptionList::at(std::string_view name) const {
  const Option* const option = find(name);
  XF_CHECK(option, "options: {} has no option '{}'", program_name(program()), name);
  return *option;
}

std::vector<std::string> OptionList::names(bool of_files) const {
  std::vector<std::string> names;
  for (const Option& option : options_) {
    if (!of_files || option.keep != Keep::never) names.emplace_back(option.name);
  }
  return names;
}

void OptionList::require(std::string_view name) const {
  const Option& option = at(name);
  if (option.is_set()) return;
  fail(ErrorKind::usage, "{} needs --{} {}; see {} --help", program_name(program()), name, value_text(option),
       program_name(program()));
}

void OptionList::apply(const GivenOptions& given, Origin origin) {
  for (const GivenOption& one : given) {
    const auto option = std::ranges::find(options_, one.name, &Option::name);
    XF_CHECK(option != options_.end(), "options: {} has no option '{}'", program_name(program()), one.name);
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
    if (option.keep == Keep::once || option.keep == Keep::never || !option.is_set()) continue;
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
    if (option.keep != Keep::fixed && !sizes_batches) continue;
    const std::string old = before.at(option.name).toml(), value = option.toml();
    if (old != value) changes.push_back({std::string(option.name), old, value});
  }
  std::ranges::sort(changes, {}, &ChangedOption::name);
  return changes;
}

}  // namespace xf::tools
