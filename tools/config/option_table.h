// The one table of options. Parsing, config files, presets, --help, --dump-config and the comparison on
// resume all read it, so a row is all that a new option needs.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace xf::tools {

// The subcommands of xformer-vocab, xformer-explain and others are programs of their own here.
enum class Program {
  train,
  translate,
  score,
  vocab_train,
  vocab_encode,
  vocab_decode,
  vocab_check,
  vocab_stats,
  vocab_demo_corpus,
  explain_op,
  explain_steps,
  explain_masks,
  explain_positions,
  explain_attention,
  explain_flow,
  explain_tape,
  explain_gradients,
  explain_beam,
  explain_logits,
  explain_quirk,
  vocab_field,
  vocab_batches,
  vocab_demo_molecules,
  score_table,
  score_lm,
  generate,
  classify,
  score_smiles,
  export_average,
  export_quantize,
  export_inspect,
  export_diff,
  export_to,
  bench,
  bench_report,
};
inline constexpr int kPrograms = static_cast<int>(Program::bench_report) + 1;

// A set of programs: Program::train | Program::translate.
class Programs {
 public:
  constexpr Programs() = default;
  constexpr Programs(Program only) : bits_(uint64_t{1} << static_cast<int>(only)) {}
  static constexpr Programs all() {
    Programs every;
    every.bits_ = ~uint64_t{0};
    return every;
  }
  static constexpr Programs all_but(Program one) {
    Programs others = all();
    others.bits_ &= ~Programs(one).bits_;
    return others;
  }
  constexpr bool has(Program program) const { return (bits_ & Programs(program).bits_) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr Programs operator|(Programs a, Programs b) {
    Programs both;
    both.bits_ = a.bits_ | b.bits_;
    return both;
  }

 private:
  static_assert(kPrograms <= 64);
  uint64_t bits_ = 0;
};
constexpr Programs operator|(Program a, Program b) { return Programs(a) | Programs(b); }

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
  amount,  // tools/config/amount.h: 8000u, 1e, 2h
};

enum class Keep {
  fixed,  // a run continues only with the value that it began with
  free,   // may change when a run continues: stopping, validation, logging, device; files, whose contents are
          // compared
  once,   // of one command: a config file may say so, that of a run does not
  never,  // an action or a place: not part of a configuration, refused in config files
};

// The option of the ranks of one training (tools/app/equal_ranks.h).
enum class AmongRanks {
  equal,  // has one value
  place,  // a text, is given to all or to none; each may have a name of its own for what is the same
  own,    // is each rank's own affair: where it computes, how much memory it takes, what it shows
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
  AmongRanks among_ranks = AmongRanks::equal;
  Programs programs;
  std::string_view help;
  std::string_view group;
  bool is_list() const { return max_values > 1; }
  bool accepted_by(Program program) const { return programs.has(program); }
};

inline constexpr int kAnyNumber = 1 << 20;

// Every row, in the order of --help. A name may occur again for programs that mean something else by it.
const std::vector<OptionSpec>& option_table();

// The row of a program, or nullptr.
const OptionSpec* find_option(Program program, std::string_view name);

// Names of a program's rows; those that a config file may hold if `in_files`.
std::vector<std::string> option_names(Program program, bool in_files);

}  // namespace xf::tools
