// The one table of options. Parsing, config files, presets, --help, --dump-config and the comparison on
// resume all read it, so a row is all that a new option needs.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace xf::tools {

// A bit each, so that a row can name several. The subcommands of xformer-vocab and xformer-explain are programs of
// their own here.
enum class Program : unsigned {
  train = 1u << 0,
  translate = 1u << 1,
  score = 1u << 2,
  vocab_train = 1u << 3,
  vocab_encode = 1u << 4,
  vocab_decode = 1u << 5,
  vocab_check = 1u << 6,
  vocab_stats = 1u << 7,
  vocab_demo_corpus = 1u << 8,
  explain_op = 1u << 9,
  explain_steps = 1u << 10,
  explain_masks = 1u << 11,
  explain_positions = 1u << 12,
  explain_attention = 1u << 13,
  explain_flow = 1u << 14,
  explain_tape = 1u << 15,
  explain_gradients = 1u << 16,
  explain_beam = 1u << 17,
  explain_logits = 1u << 18,
  explain_quirk = 1u << 19,
  vocab_field = 1u << 20,
  vocab_batches = 1u << 21,
  vocab_demo_molecules = 1u << 22,
  score_table = 1u << 23,
  score_lm = 1u << 24,
  generate = 1u << 25,
  classify = 1u << 26,
  score_smiles = 1u << 27,
};
inline constexpr unsigned kLastProgramBit = 27;

constexpr unsigned operator|(Program a, Program b) {
  return static_cast<unsigned>(a) | static_cast<unsigned>(b);
}
constexpr unsigned operator|(unsigned a, Program b) { return a | static_cast<unsigned>(b); }

// Every one, in the order above.
const std::vector<Program>& all_programs();

// "xformer-train", "xformer-vocab encode"
std::string program_name(Program program);
// A sentence, an empty line, and lines that call it, two spaces in front.
std::string program_summary(Program program);

enum class OptionType {
  boolean,  // --x, --x=true, --x=false
  integer,  // with K, M, G if wanted
  real,
  text,    // a name, a path
  choice,  // one of the words in `choices`
  amount,  // tools/amount.h: 8000u, 1e, 2h
};

enum class Keep {
  fixed,  // a run continues only with the value that it began with
  free,   // may change when a run continues: stopping, validation, logging, device; files, whose contents are
          // compared
  never,  // an action or a place: not part of a configuration, refused in config files
};

// The default of a row whose value is the task's to choose: every preset must set it.
inline constexpr std::string_view kByTask = "<task>";

struct OptionSpec {
  std::string_view name;     // kebab-case; the option is --name, the key in a file is name
  std::string_view aliases;  // apart by spaces: "-t", "--other-name", sacreBLEU's "-lc"
  OptionType type = OptionType::text;
  std::string_view default_value;  // as on the command line, lists apart by spaces; empty: not set
  std::string_view choices;        // of OptionType::choice: "post|pre"
  std::string_view value_name;     // in --help: N, FILE, "SRC TRG"
  double minimum = -std::numeric_limits<double>::infinity();  // of numbers, inclusive
  double maximum = std::numeric_limits<double>::infinity();
  int min_values = 1, max_values = 1;  // more than one: a list
  bool positional = false;             // bare arguments are values of this option
  bool rare = false;                   // left out of --help, shown by --help-all
  Keep keep = Keep::fixed;
  unsigned programs = 0;
  std::string_view help;
  std::string_view group;
  bool is_list() const { return max_values > 1; }
  bool accepted_by(Program program) const { return (programs & static_cast<unsigned>(program)) != 0; }
};

inline constexpr int kAnyNumber = 1 << 20;

// Every row, in the order of --help. A name may occur again for programs that mean something else by it.
const std::vector<OptionSpec>& option_table();

// The row of a program, or nullptr.
const OptionSpec* find_option(Program program, std::string_view name);

// Names of a program's rows; those that a config file may hold if `in_files`.
std::vector<std::string> option_names(Program program, bool in_files);

}  // namespace xf::tools
