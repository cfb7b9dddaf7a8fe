// The options of a program run: command line > config file (-c) > preset (--task) > default of the table.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/config/amount.h"
#include "tools/config/given_option.h"
#include "tools/config/option_table.h"

namespace xf::tools {

// An option that two configurations set differently; values as TOML writes them, "" where not set.
struct ChangedOption {
  std::string name, before, now;
};

class Options {
 public:
  // The defaults of the table, the task's not yet among them.
  explicit Options(Program program);

  // Values as checked against the table, so that a getter can only fail by a mistake in the program: a name
  // or type that the table does not have, a single value that is not set (Error failure). A list that is not
  // set is empty.
  const std::string& get_string(std::string_view name) const;  // text and choices
  int64_t get_int(std::string_view name) const;
  double get_float(std::string_view name) const;
  bool get_bool(std::string_view name) const;  // false where not set
  Amount get_amount(std::string_view name) const;
  const std::vector<std::string>& get_strings(std::string_view name) const;
  std::vector<int64_t> get_ints(std::string_view name) const;
  std::vector<double> get_floats(std::string_view name) const;
  std::vector<Amount> get_amounts(std::string_view name) const;

  bool is_set(std::string_view name) const;    // it has a value, wherever from
  bool is_given(std::string_view name) const;  // by the command line or a config file

  // Error usage "xformer-train needs --train-sets SRC TRG" unless it is set.
  void require(std::string_view name) const;

  // The value as on a command line, a list apart by spaces; "" where not set.
  std::string text_of(std::string_view name) const;

  // Checks and takes over values; later calls go before earlier ones.
  enum class Origin { preset, user };
  void apply(const std::vector<GivenOption>& given, Origin origin);

  Program program() const { return program_; }

  // Every key that has a value and may stand in a file, by group, but for those of one command (Keep::once); reads back to
  // the same values.
  std::string to_toml() const;

  // What keeps a run that began as `before` from going on with these options: differing keys with
  // Keep::fixed.
  std::vector<ChangedOption> changed_keys(const Options& before) const;

 private:
  struct Value {
    const OptionSpec* spec = nullptr;
    std::vector<std::string> words;  // canonical (tools/config/option_value.h)
    bool given = false;
  };
  const Value& value_of(std::string_view name) const;
  const std::string& word_of(std::string_view name, OptionType type) const;
  const std::vector<std::string>& words_of(std::string_view name, OptionType type) const;

  Program program_;
  std::map<std::string, Value, std::less<>> values_;
};

// The options of a command line, or the text that --help, --version, --build-info or --dump-config ask for, which may be
// empty.
struct ParsedOptions {
  std::optional<Options> options;
  std::string answer;
};

// What training has from a run or a model that its command names, where it does not say otherwise.
struct InheritedOptions {
  GivenOptions of_run, of_model;
  bool goes_on = false;  // with the run, or with a checkpoint
};
// Asked when the command line and the config file that it names have been read.
using Inherit =
    std::function<InheritedOptions(const GivenOptions& from_file, GivenOptions& from_command_line)>;

// Reads a command line (argv[0] is not looked at) and what it names. Error usage for whatever is wrong.
ParsedOptions read_options(Program program, int argc, const char* const* argv, const Inherit& inherit = {});
// The same; nothing if there is an answer, which is then on the standard output.
std::optional<Options> parse_options(Program program, int argc, const char* const* argv,
                                     const Inherit& inherit = {});

// Options from TOML alone: the config.toml of a run folder. `name` stands for the file in messages.
Options options_from_toml(Program program, const std::string& text, const std::string& name);

}  // namespace xf::tools
