// parse_options(): where command line, config file, preset and table meet, and what one option alone cannot
// check.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "core/error.h"
#include "data/unicode.h"
#include "tools/config/build_info.h"
#include "tools/config/command_line.h"
#include "tools/config/config_file.h"
#include "tools/config/model_config.h"
#include "tools/config/model_text.h"
#include "tools/config/options.h"
#include "tools/config/presets.h"
#include "tools/console/message.h"

namespace xf::tools {
namespace {

bool asks_for(const GivenOptions& given, std::string_view name) {
  const GivenOption* option = find_given(given, name);
  return option && option->words == std::vector<std::string>{"true"};
}

// Bare words are the runs of --report RUN..., which trains nothing, and nothing else.
void check_runs(Program program, const GivenOptions& given, const std::vector<std::string>& arguments) {
  if (program != Program::train) return;
  const GivenOption* const runs = find_given(given, "runs");
  if (runs && !asks_for(given, "report")) refuse_argument(program, arguments, runs->words.front());
  for (const char* name : {"train-sets", "model"}) {
    if (runs && find_given(given, name))
      fail(ErrorKind::usage, "--report {} ... compares runs and trains nothing; leave out --{}",
           runs->words.front(), name);
  }
  if (!runs && find_given(given, "output"))
    fail(ErrorKind::usage, "--output is the page of --report RUN...; name the runs");
}

// --fp16 and --bf16 are spellings of --precision.
void check_precision(Options& options) {
  if (options.get_bool("fp16")) {
    fail(ErrorKind::usage, "--fp16: float16 training overflows and is not offered; use --bf16");
  }
  if (!options.get_bool("bf16")) return;
  const std::string& precision = options.get_string("precision");
  if (options.is_given("precision") && precision != "bfloat16")
    fail(ErrorKind::usage, "--bf16 and --precision {}: choose one of them", precision);
  options.apply({{"precision", {"bfloat16"}, "--bf16"}}, Options::Origin::user);
}

// A run's config.toml holds its paths, and TOML is UTF-8: refused now, not when the run is opened again.
void check_paths(const Options& options) {
  for (const OptionSpec& spec : option_table()) {
    if (!spec.accepted_by(Program::train) || spec.type != OptionType::text || spec.keep == Keep::never)
      continue;
    for (const std::string& word : options.get_strings(spec.name)) {
      if (!data::first_invalid_utf8(word)) continue;
      fail(ErrorKind::usage,
           "{}: the name '{}' is not UTF-8, and config.toml holds no other; rename it, or give a link",
           spec.name, word);
    }
  }
}

struct OptimizerParams {
  size_t count;
  const char* what;
  std::vector<std::string> defaults;  // empty: a task's, which are Adam's
};

OptimizerParams optimizer_params(const std::string& optimizer) {
  if (optimizer == "sgd") return {1, "one, its momentum", {"0"}};
  if (optimizer == "muon")
    return {4, "four, Adam's beta1, beta2 and epsilon and the momentum", {"0.9", "0.98", "1e-8", "0.95"}};
  return {3, "three, beta1, beta2 and epsilon", {}};
}

void settle_optimizer(Options& options) {
  const std::string& name = options.get_string("optimizer");
  const OptimizerParams params = optimizer_params(name);
  if (!params.defaults.empty() && !options.is_given("optimizer-params"))
    options.apply({{"optimizer-params", params.defaults, "optimizer"}}, Options::Origin::preset);
  const std::vector<double> values = options.get_floats("optimizer-params");
  const size_t got = values.size();
  if (got != params.count)
    fail(ErrorKind::usage, "optimizer-params: {} takes {}, got {} value{}", name, params.what, got,
         got == 1 ? "" : "s");
  for (size_t i = 0; i < got; ++i) {
    const bool is_epsilon = i == 2;
    const auto value = static_cast<float>(values[i]);
    if (is_epsilon ? value == 0 : value == 1)
      fail(ErrorKind::usage, "optimizer-params: {} is {}; give one {}",
           is_epsilon ? "epsilon" : "a decay rate of a mean", values[i],
           is_epsilon ? values[i] == 0 ? "above 0" : "above 1e-38" : "below 1");
  }
}

// A task ties the source's embedding, too: not where the sides have a vocabulary each.
void settle_tying(Options& options) {
  const auto vocabularies = options.get_strings("vocabs");
  const bool joint = vocabularies.empty() ? options.get_bool("joint-vocab") : vocabularies.size() == 1;
  // A pretrained model's table may be both sides', though each cuts its text in its own way.
  if (!options.get_bool("tied-embeddings-all") || joint || options.is_set("pretrained-model")) return;
  if (options.is_given("tied-embeddings-all")) {
    fail(ErrorKind::usage,
         "tied-embeddings-all: both sides must share a vocabulary; set joint-vocab or tie less");
  }
  options.apply({{"tied-embeddings-all", {"false"}, "vocabs"}}, Options::Origin::preset);
  if (!options.is_given("tied-embeddings"))
    options.apply({{"tied-embeddings", {"true"}, "vocabs"}}, Options::Origin::preset);
}

// Sines and cosines, learnt positions, rotary ones: one of the three.
void check_positions(const Options& options) {
  const int64_t width = options.get_int("dim-emb"), heads = options.get_int("transformer-heads");
  if (width % 2 != 0)
    fail(ErrorKind::usage, "dim-emb: {} is odd; positions need sine and cosine pairs", width);
  const bool learned = options.get_bool("transformer-train-positions"),
             rotary = options.get_bool("transformer-rotary-positions");
  if (learned && rotary) {
    fail(ErrorKind::usage,
         "transformer-rotary-positions: positions are learnt (transformer-train-positions) or rotary; choose "
         "one");
  }
  if ((learned || rotary) && options.get_string("position-layout") != "interleaved") {
    fail(ErrorKind::usage, "position-layout is of sines and cosines; leave it out, or {}",
         learned ? "transformer-train-positions" : "transformer-rotary-positions");
  }
  if (rotary && width / heads % 2 != 0) {
    fail(ErrorKind::usage,
         "transformer-rotary-positions: turns pairs of columns, and a head has {} / {} = {}; choose an even "
         "width",
         width, heads, width / heads);
  }
}

void check_training(Options& options) {
  settle_optimizer(options);
  check_precision(options);
  check_paths(options);
  check_model_type(options);
  const int64_t width = options.get_int("dim-emb"), heads = options.get_int("transformer-heads");
  if (width % heads != 0) {
    fail(ErrorKind::usage, "transformer-heads: {} heads do not divide the width of {} (dim-emb)", heads,
         width);
  }
  check_positions(options);
  settle_tying(options);
  loop_options(options);  // when it ends, saves and validates: refused before any text is read
  if (options.get_amount("r-drop-after").value > 0 && options.get_float("r-drop") == 0)
    fail(ErrorKind::usage, "r-drop-after: says when R-Drop begins; give r-drop, or leave this out");
  for (const char* const key : {"lr-warmup", "r-drop-after"}) {
    const AmountUnit unit = options.get_amount(key).unit;
    if (unit != AmountUnit::updates && unit != AmountUnit::epochs)
      fail(ErrorKind::usage, "{}: give updates (2000u) or epochs (5e)", key);
  }
}

void check_begins(const Options& options, const char* key, Amount begin) {
  for (const Amount& end : options.get_amounts("after")) {
    if (end.unit == begin.unit && end.value <= begin.value)
      fail(ErrorKind::usage, "{}: would begin behind {}, and the training ends at {} (after)", key,
           to_string(begin), to_string(end));
  }
}

// What the command line asks for and the other options leave without effect. It is the command line alone: a config file
// may be a run's own, in which every option stands.
void check_effects(const Options& options, const GivenOptions& from_command_line) {
  const auto asked = [&](const char* key) { return find_given(from_command_line, key) != nullptr; };
  const auto needs = [&](const char* key, const char* what, bool given) {
    if (asked(key) && !given)
      fail(ErrorKind::usage, "{}: has no effect without {}; give that, or leave this out", key, what);
  };
  const bool plateau = options.get_string("lr-schedule") == "plateau";
  for (const char* const key : {"lr-decay", "lr-decay-patience", "lr-decay-start"})
    needs(key, "lr-schedule plateau", plateau);
  needs("early-stopping", "valid-sets",
        options.is_set("valid-sets") || options.get_int("early-stopping") == 0);
  // Of a task that is cut short it begins earlier (tools/app/training_phases.h).
  if (options.get_float("r-drop") > 0 && asked("r-drop-after"))
    check_begins(options, "r-drop-after", options.get_amount("r-drop-after"));
}

// Its weights are of one type, whatever a task makes of its sizes. A run that goes on has begun with it already.
void check_pretrained_type(const Options& options, const InheritedOptions& inherited,
                           const GivenOptions& from_file, const GivenOptions& from_command_line) {
  if (inherited.of_model.empty() || inherited.goes_on) return;
  const GivenOption* const given = find_given(inherited.of_model, "type");
  const std::string type = given ? given->words.front() : "translation";
  const GivenOption* const asked = find_given(from_file, from_command_line, "type");
  const std::string& wanted = asked ? asked->words.front() : options.get_string("type");
  if (type == wanted) return;
  fail(ErrorKind::usage, "pretrained-model: is of type {}, and this training of type {}; give --task {}",
       type, wanted, type == "translation" ? "transformer-tiny" : type);
}

// --precision auto is chosen when a run begins, and kept on any machine.
void keep_precision(Options& options, const GivenOptions& from_run) {
  const GivenOption* const of_run = find_given(from_run, "precision");
  if (of_run && options.get_string("precision") == "auto") options.apply({*of_run}, Options::Origin::user);
}

// The preset where neither a --task nor a run says it: one for a pretrained model's type. "" where nothing says it.
std::string inherited_task(const GivenOptions& of_model) {
  // Two of the presets are called as the types that they are for.
  const GivenOption* const type = find_given(of_model, "type");
  return type && type->words.front() != "translation" ? type->words.front() : "";
}

void apply_preset(Options& options, const InheritedOptions& inherited, const GivenOptions& from_file,
                  const GivenOptions& from_command_line) {
  const GivenOption* task = find_given(from_file, from_command_line, "task");
  const GivenOption* const task_of_run = find_given(inherited.of_run, "task");
  const bool of_run = task_of_run && (!task || task->words == task_of_run->words);
  if (of_run) task = task_of_run;
  const bool names_text = find_given(from_file, from_command_line, "train-sets") != nullptr;
  if (!of_run && !names_text)
    options.apply(inherited.of_run,
                  Options::Origin::user);  // before another task: what it changes is refused later
  if (!task) {
    const std::string name = inherited_task(inherited.of_model);
    if (!name.empty()) options.apply({{"task", {name}, "task"}}, Options::Origin::preset);
  }
  options.apply(options_of_preset(task ? task->words.front() : options.get_string("task")),
                Options::Origin::preset);
  check_pretrained_type(options, inherited, from_file, from_command_line);
  options.apply(inherited.of_model, Options::Origin::preset);
  if (of_run) options.apply(inherited.of_run, Options::Origin::user);
}

Options build(Program program, const InheritedOptions& inherited, const GivenOptions& from_file,
              const GivenOptions& from_command_line) {
  const bool trains = program == Program::train;
  Options options(program);
  if (trains) apply_preset(options, inherited, from_file, from_command_line);
  options.apply(from_file, Options::Origin::user);
  options.apply(from_command_line, Options::Origin::user);
  if (trains) {
    keep_precision(options, inherited.of_run);
    check_training(options);
    check_effects(options, from_command_line);
  }
  return options;
}

}  // namespace

const GivenOption* find_given(const GivenOptions& given, std::string_view name) {
  const auto found = std::ranges::find(given, name, &GivenOption::name);
  return found == given.end() ? nullptr : &*found;
}

const GivenOption* find_given(const GivenOptions& from_file, const GivenOptions& from_command_line,
                              std::string_view name) {
  const GivenOption* const option = find_given(from_command_line, name);
  return option ? option : find_given(from_file, name);
}

ParsedOptions read_options(Program program, int argc, const char* const* argv, const Inherit& inherit) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  GivenOptions given = parse_command_line(program, arguments);
  check_runs(program, given, arguments);
  std::optional<std::string> answer;
  if (asks_for(given, "help")) answer = help_text(program, false);
  if (asks_for(given, "help-all")) answer = help_text(program, true);
  if (asks_for(given, "version")) answer = version_line(program_name(program)) + "\n";
  if (asks_for(given, "build-info")) answer = build_info();
  if (answer) return {std::nullopt, *answer};
  const GivenOption* config = find_given(given, "config");
  const auto from_file = config ? read_config(program, config->words.front()) : GivenOptions{};
  const InheritedOptions inherited = inherit ? inherit(from_file, given) : InheritedOptions{};
  const Options options = build(program, inherited, from_file, given);
  if (asks_for(given, "dump-config")) return {std::nullopt, options.to_toml()};
  return {options, ""};
}

std::optional<Options> parse_options(Program program, int argc, const char* const* argv,
                                     const Inherit& inherit) {
  ParsedOptions parsed = read_options(program, argc, argv, inherit);
  if (!parsed.options) print_page(parsed.answer);
  return parsed.options;
}

Options options_from_toml(Program program, const std::string& text, const std::string& name) {
  return build(program, {}, parse_config(program, text, name), {});
}

}  // namespace xf::tools
