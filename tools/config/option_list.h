// The options of a program, each bound to a field of the program's configuration. Command line, config files, presets, --help,
// man pages, completion, --dump-config and the comparison on resume all walk the list, so one line there is all that a new option
// needs besides its field.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tools/config/given_option.h"
#include "tools/config/option.h"
#include "tools/config/program.h"

namespace xf::tools {

// What every program's configuration has.
struct Configuration {
  explicit Configuration(Program its_program) : program(its_program) {}

  bool is_given(std::string_view name) const { return given.contains(name); }

  Program program;
  std::string config;
  bool dump_config = false, quiet = false, help = false, help_all = false, version = false,
       build_info = false;
  std::set<std::string, std::less<>> given;  // names of what the command line or a config file set
};

// An option that two configurations set differently; values as TOML writes them, "" where not set.
struct ChangedOption {
  std::string name, before, now;
};

class OptionList {
 public:
  // To be filled by the program's list_options().
  explicit OptionList(Configuration& configuration) : configuration_(&configuration) {}

  // The heading in --help of what is added from here on, and whether a run may change it when it continues.
  void group(std::string_view heading, Keep keep = Keep::free) { heading_ = heading, keep_ = keep; }
  Option& add(OptionField field, std::string_view name, std::string_view value_name, std::string_view help);
  template <typename T>
  Option& add(T& field, std::string_view name, std::string_view value_name, std::string_view help) {
    return add(OptionField(&field), name, value_name, help);
  }
  Option& add(bool& field, std::string_view name, std::string_view help) {
    return add(&field, name, "", help);
  }
  template <typename T>  // one of the words "a|b|c", or a list of them
  Option& add_choice(T& field, std::string_view name, std::string_view choices, std::string_view help) {
    Option& option = add(OptionField(&field), name, "", help);
    option.choices = choices;
    return option;
  }
  void add_common();  // those of every program

  Program program() const { return configuration_->program; }
  auto begin() const { return options_.begin(); }
  auto end() const { return options_.end(); }

  const Option* find(std::string_view name) const;  // null: the program has no such option
  // Error failure where the program has no such option.
  const Option& at(std::string_view name) const;
  std::vector<std::string> names(bool of_files = false) const;  // all, or those that a config file may hold
  bool is_given(std::string_view name) const { return configuration_->is_given(name); }
  // Error usage "xformer-train needs --train-sets SRC TRG" unless it is set.
  void require(std::string_view name) const;

  // Checks and takes over values; later calls go before earlier ones.
  enum class Origin { preset, user };
  void apply(const GivenOptions& given, Origin origin);

  // Every key that has a value and may stand in a file, by group, but for those of one command (Keep::once); reads back to the
  // same values.
  std::string to_toml() const;

 private:
  Configuration* configuration_;
  std::vector<Option> options_;
  std::string_view heading_;
  Keep keep_ = Keep::free;
};

// Those of a configuration, which must outlive the list.
template <typename Config>
requires(!std::is_const_v<Config>) OptionList options_of(Config& configuration) {
  OptionList list(configuration);
  list_options(configuration, list);
  list.add_common();
  return list;
}
// To be read alone.
template <typename Config>
const OptionList options_of(const Config& configuration) {
  return options_of(const_cast<Config&>(configuration));
}

// Keys with Keep::fixed that differ, by name.
std::vector<ChangedOption> changed_options(const OptionList& before, const OptionList& now);

}  // namespace xf::tools
