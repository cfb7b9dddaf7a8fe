// One option of a program: how it is written and explained, and the field of a configuration that holds its value.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tools/config/amount.h"

namespace xf::tools {

enum class Keep {
  fixed,  // a run continues only with the value that it began with
  free,  // may change when a run continues: stopping, validation, logging, device; files, whose contents are compared
  once,   // of one command: a config file may say so, that of a run does not
  never,  // an action or a place: not part of a configuration, refused in config files
};

// The option of the ranks of one training (tools/app/equal_ranks.h).
enum class AmongRanks {
  equal,  // has one value
  place,  // a text, is given to all or to none; each may have a name of its own for what is the same
  own,    // is each rank's own affair: where it computes, how much memory it takes, what it shows
};

// A text that is empty and a list without values are not set.
using OptionField = std::variant<bool*, int64_t*, double*, std::string*, Amount*, std::optional<int64_t>*,
                                 std::optional<double>*, std::vector<int64_t>*, std::vector<double>*,
                                 std::vector<std::string>*, std::vector<Amount>*>;

inline constexpr int kAnyNumber = 1 << 20;

struct Option {
  OptionField field = static_cast<bool*>(nullptr);
  std::string_view name;        // kebab-case; the option is --name, the key in a file is name
  std::string_view value_name;  // in --help: N, FILE, "SRC TRG"
  std::string_view help;
  std::string_view choices;  // "post|pre": the words that it takes; empty: any
  std::string_view aliases;  // apart by spaces: "-t", "--other-name", sacreBLEU's "-lc"
  std::string_view group;
  double minimum = -std::numeric_limits<double>::infinity();  // of numbers, inclusive
  double maximum = std::numeric_limits<double>::infinity();
  int min_values = 1, max_values = 1;  // of a list
  bool positional = false;             // bare arguments are values of this option
  bool rare = false;                   // left out of --help, shown by --help-all
  bool is_by_task = false;             // every preset sets it
  std::vector<std::string> offered;    // words that completion shows of a text
  Keep keep = Keep::free;
  AmongRanks among_ranks = AmongRanks::equal;

  // An option is written as a sentence: add(dim_emb, "dim-emb", "N", "width of the model").by_task().at_least(2)
  Option& alias(std::string_view spellings) { return aliases = spellings, *this; }
  Option& value(std::string_view shown) { return value_name = shown, *this; }
  Option& at_least(double smallest) { return minimum = smallest, *this; }
  Option& between(double smallest, double largest) { return maximum = largest, at_least(smallest); }
  Option& exactly(int count) { return min_values = max_values = count, *this; }
  Option& up_to(int count) { return max_values = count, *this; }
  Option& any_number() { return up_to(kAnyNumber); }
  Option& seldom() { return rare = true, *this; }
  Option& bare() { return positional = true, *this; }
  Option& offers(std::vector<std::string> some) { return offered = std::move(some), *this; }
  Option& by_task() { return is_by_task = true, *this; }
  Option& keeps(Keep rule) { return keep = rule, *this; }
  Option& of_ranks(AmongRanks rule) { return among_ranks = rule, *this; }

  bool is_switch() const { return std::holds_alternative<bool*>(field); }
  bool is_list() const;
  bool is_text() const;  // a name or a path, or several

  // Its value in one spelling: counts without K M G, numbers in their shortest form, amounts with their unit. Empty: not set.
  std::vector<std::string> words() const;
  bool is_set() const { return !words().empty(); }
  // The same as on a command line, a list apart by spaces.
  std::string text() const;
  // As TOML writes it: 128, 0.3, true, "post", [1, 2]; "" where it is not set.
  std::string toml() const;
  // Error usage "WHERE: ..." for a wrong type, a value out of range, an unknown choice (with the nearest) or a wrong number of
  // values. Lists of amounts and of whole numbers may be apart by commas.
  void set(const std::vector<std::string>& words, const std::string& where);
};

// "-b", "--beam-size", "-lc": each way to write an option.
std::vector<std::string> spellings_of(const Option& option);

// The words that an option can be given; none: anything.
std::vector<std::string> values_of(const Option& option);

// For --help and man: what stands behind an option's name ("N", "post|pre"), and its help with the words and the default
// that the former does not show.
std::string value_text(const Option& option);
std::string help_with_default(const Option& option);

// "a|b|c" to words, or any other separator; empty ones are left out.
std::vector<std::string> split(std::string_view text, char separator);
// The same with the empty ones: one more than there are separators.
std::vector<std::string> split_all(std::string_view text, char separator);

}  // namespace xf::tools
