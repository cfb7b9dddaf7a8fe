// The options of a program: how each is written and explained, and the field of the program's
// configuration that holds its value. Command line, config files, presets, --help, man pages,
// completion, --dump-config and the comparison on resume all walk the list, so one line there is
// all that a new option needs besides its field.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "nn/train/training_length.h"

namespace xf::tools {

// A length of training with its unit, Marian's way: 100e, 300Ku, 2Gt, 2h. Tokens are target tokens,
// </s> included.
using nn::TrainingLength;

// A number, then K, M or G (thousand, million, milliard) if wanted, then the unit; no unit means
// updates. Nothing where the text is no such length or is negative.
std::optional<TrainingLength> parse_training_length(std::string_view text);
// The shortest text that parse_training_length reads back: 8000u, 1.5h.
std::string to_string(const TrainingLength& length);
// A whole number with K, M or G if wanted: 8000, 8K. Nothing where the text is not one or does not
// fit.
std::optional<long long> parse_count(std::string_view text);
// A decimal number, all of the text; infinities and NaN are refused.
std::optional<double> parse_number(std::string_view text);

// "a|b|c" to words, or any other separator; empty ones are left out.
std::vector<std::string> split(std::string_view text, char separator);
// The same with the empty ones: one more than there are separators.
std::vector<std::string> split_all(std::string_view text, char separator);

enum class Persistence {
  fixed,  // a run continues only with the value that it began with
  free,   // may change when a run continues: stopping, validation, logging, device; files, whose
          // contents are compared
  once,   // of one command: a config file may say so, that of a run does not
  never,  // an action or a place: not part of a configuration, refused in config files
};

// The option of the ranks of one training (tools/app/equal_ranks.h).
enum class AmongRanks {
  equal,  // has one value
  place,  // a text, is given to all or to none; each may have a name of its own for what is the
          // same
  own,    // is each rank's own affair: where it computes, how much memory it takes, what it shows
};

// A text that is empty and a list without values are not set.
using OptionField =
    std::variant<bool*, int64_t*, double*, std::string*, TrainingLength*, std::optional<int64_t>*,
                 std::optional<double>*, std::vector<int64_t>*, std::vector<double>*,
                 std::vector<std::string>*, std::vector<TrainingLength>*>;

struct Option {
  OptionField field = static_cast<bool*>(nullptr);
  std::string_view name;           // kebab-case; the option is --name, the key in a file is name
  std::string_view aliases;        // apart by spaces: "-t", "--other-name", sacreBLEU's "-lc"
  std::string_view former_names;   // apart by spaces: "old-name"
  std::string_view former_values;  // "OLD=NEW", apart by spaces
  std::string_view value_name;     // in --help: N, FILE, "SRC TRG"
  std::string_view help, group;
  std::string_view choices;  // "post|pre": the words that it takes; empty: any
  double minimum = -std::numeric_limits<double>::infinity();  // of numbers, inclusive
  double maximum = std::numeric_limits<double>::infinity();
  int min_values = 1, max_values = 1;  // of a list
  bool positional = false;             // bare arguments are values of this option
  bool rare = false;                   // left out of --help, shown by --help-all
  bool is_by_task = false;             // every preset sets it
  std::vector<std::string> offered;    // words that completion shows of a text
  Persistence persistence = Persistence::free;
  AmongRanks among_ranks = AmongRanks::equal;

  bool is_switch() const { return std::holds_alternative<bool*>(field); }
  bool is_list() const;
  bool is_text() const;  // a name or a path, or several

  // Its value in one spelling: counts without K M G, numbers in their shortest form, amounts with
  // their unit. Empty: not set.
  std::vector<std::string> words() const;
  bool is_set() const { return !words().empty(); }
  std::string text() const;  // as on a command line, a list apart by spaces
  std::string toml() const;  // as TOML writes it: 128, 0.3, true, "post", [1, 2]; "" where it is
                             // not set
  // Error usage "WHERE: ..." for a wrong type, a value out of range, an unknown choice (with the
  // nearest) or a wrong number of values. Lists of amounts and of whole numbers may be apart by
  // commas.
  void set(const std::vector<std::string>& words, const std::string& where);
};

// "-b", "--beam-size", "-lc": each way to write an option.
std::vector<std::string> spellings_of(const Option& option);
// The words that an option can be given; none: anything.
std::vector<std::string> values_of(const Option& option);
// For --help and man: what stands behind an option's name ("N", "post|pre"), and its help with the
// words and the default that the former does not show.
std::string value_text(const Option& option);
std::string help_with_default(const Option& option);

// What is not usual about an option: {by_task, at_least(2), Persistence::free}.
struct Rule {
  template <std::invocable<Option&> Change>
  Rule(Change change) : apply(change) {}
  Rule(Persistence keep) : apply([=](Option& option) { option.persistence = keep; }) {}
  Rule(AmongRanks rule) : apply([=](Option& option) { option.among_ranks = rule; }) {}

  std::function<void(Option&)> apply;
};
inline Rule between(double smallest, double largest) {
  return [=](Option& option) { option.minimum = smallest, option.maximum = largest; };
}
inline Rule at_least(double smallest) { return between(smallest, std::numeric_limits<double>::infinity()); }
inline Rule up_to(int count) {
  return [=](Option& option) { option.max_values = count; };
}
inline Rule exactly(int count) {
  return [=](Option& option) { option.min_values = option.max_values = count; };
}
inline constexpr auto any_number = [](Option& option) { option.max_values = 1 << 20; };
inline Rule one_of(std::string_view choices) {
  return [=](Option& option) { option.choices = choices; };
}
inline Rule offers(const std::vector<std::string>& some) {
  return [=](Option& option) { option.offered = some; };
}
// What it, or words of it, were called in earlier versions (tools/config/former_names.h).
inline Rule formerly(std::string_view names) {
  return [=](Option& option) { option.former_names = names; };
}
inline Rule formerly_values(std::string_view pairs) {
  return [=](Option& option) { option.former_values = pairs; };
}
inline constexpr auto seldom = [](Option& option) { option.rare = true; };
inline constexpr auto bare = [](Option& option) { option.positional = true; };
inline constexpr auto by_task = [](Option& option) { option.is_by_task = true; };

// An option as somebody wrote it: what the command line and the config files come down to before
// their values are checked.
struct GivenOption {
  std::string name;
  std::vector<std::string> words;
  std::string where;                      // for messages: "--dim-emb", "config.toml:14: key
                                          // 'dim-emb'"
  std::vector<std::string> renamed = {};  // "--old-name is called --new-name now"
};
using GivenOptions = std::vector<GivenOption>;

// Null where it is not given. The command line goes before the file.
const GivenOption* find_given(const GivenOptions& given, std::string_view name);
const GivenOption* find_given(const GivenOptions& from_file, const GivenOptions& from_command_line,
                              std::string_view name);
// Whether a switch was given.
bool asks_for(const GivenOptions& given, std::string_view name);

// What every program's configuration has.
struct Configuration {
  explicit Configuration(std::string_view its_program) : program(its_program) {}

  bool is_given(std::string_view name) const { return given.contains(name); }

  std::string_view program;  // as it is called, with its command: "xformer-train", "xformer-vocab
                             // encode"
  std::string config;
  bool dump_config = false, quiet = false, help = false, help_all = false, version = false,
       build_info = false;
  std::set<std::string, std::less<>> given;  // names of what the command line or a config file set
};

class OptionList {
 public:
  // To be filled by the program's list_options().
  explicit OptionList(Configuration& configuration) : configuration_(&configuration) {}

  // What --help says first: a sentence, an empty line, and lines that call the program, two spaces
  // in front.
  void summary(std::string_view text) { summary_ = text; }
  // The heading in --help of what is added from here on, and whether a run may change it when it
  // continues.
  void group(std::string_view heading, Persistence keep = Persistence::free) {
    heading_ = heading, keep_ = keep;
  }
  // An option `written` as --help has it, without its dashes: "beam-size -b N" is --beam-size, or
  // -b, and takes N.
  template <typename T>
  void operator()(T& field, std::string_view written, std::initializer_list<Rule> rules,
                  std::string_view help) {
    add(OptionField(&field), written, rules, help);
  }
  template <typename T>
  void operator()(T& field, std::string_view written, std::string_view help) {
    add(OptionField(&field), written, {}, help);
  }
  void add_common();  // those of every program

  std::string_view program() const { return configuration_->program; }
  std::string_view summary() const { return summary_; }
  auto begin() const { return options_.begin(); }
  auto end() const { return options_.end(); }

  const Option* find(std::string_view name) const;  // null: the program has no such option
  // Error failure where the program has no such option.
  const Option& at(std::string_view name) const;
  std::vector<std::string> names(bool of_files = false) const;  // all, or those that a config file
                                                                // may hold
  bool is_given(std::string_view name) const { return configuration_->is_given(name); }
  // Error usage "xformer-train needs --train-sets SRC TRG" unless it is set.
  void require(std::string_view name) const;

  // Checks and takes over values; later calls go before earlier ones.
  enum class Origin { preset, user };
  void apply(const GivenOptions& given, Origin origin);

  // Every key that has a value and may stand in a file, by group, but for those of one command
  // (Persistence::once); reads back to the same values.
  std::string to_toml() const;

 private:
  void add(OptionField field, std::string_view written, std::initializer_list<Rule> rules,
           std::string_view help);

  Configuration* configuration_;
  std::vector<Option> options_;
  std::string_view summary_, heading_;
  Persistence keep_ = Persistence::free;
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

// An option that two configurations set differently; values as TOML writes them, "" where not set.
struct ChangedOption {
  std::string name, before, now;
};
// Keys with Persistence::fixed that differ, by name.
std::vector<ChangedOption> changed_options(const OptionList& before, const OptionList& now);

}  // namespace xf::tools
