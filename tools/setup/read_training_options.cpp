// Where command line, config file, run or model, and preset meet, and what one option of a training
// alone cannot check.
#include "tools/setup/read_training_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "data/unicode.h"
#include "tools/config/command_line.h"
#include "tools/config/config_file.h"
#include "tools/setup/model_config.h"
#include "tools/setup/task_data.h"
#include "tools/setup/training_method.h"

namespace xf::tools {
namespace {

// Bare words are the runs of --report RUN..., which trains nothing, and nothing else.
void check_runs(const OptionList& list, const GivenOptions& given,
                const std::vector<std::string>& arguments) {
  const GivenOption* const runs = find_given(given, "runs");
  if (runs && !asks_for(given, "report")) refuse_argument(list, arguments, runs->words.front());
  for (const char* name : {"train-sets", "model"}) {
    if (runs && find_given(given, name))
      fail(ErrorKind::usage, "--report {} ... compares runs and trains nothing; leave out --{}",
           runs->words.front(), name);
  }
  if (!runs && find_given(given, "output"))
    fail(ErrorKind::usage, "--output is the page of --report RUN...; name the runs");
}

// --fp16 and --bf16 are spellings of --precision.
void check_precision(TrainingOptions& options) {
  if (options.numerics.fp16) {
    fail(ErrorKind::usage, "--fp16: float16 training overflows and is not offered; use --bf16");
  }
  if (!options.numerics.bf16) return;
  const std::string& precision = options.compute.precision;
  if (options.is_given("precision") && precision != "bfloat16")
    fail(ErrorKind::usage, "--bf16 and --precision {}: choose one of them", precision);
  options.compute.precision = "bfloat16";
  options.given.insert("precision");
}

// A run's training.toml holds its paths, and TOML is UTF-8: refused now, not when the run is opened
// again.
void check_paths(const OptionList& list) {
  for (const Option& option : list) {
    if (!option.is_text() || option.persistence == Persistence::never) continue;
    for (const std::string& word : option.words()) {
      if (!data::first_invalid_utf8(word)) continue;
      fail(ErrorKind::usage,
           "{}: the name '{}' is not UTF-8, and training.toml holds no other; rename it, or give a link",
           option.name, word);
    }
  }
}

struct OptimizerParams {
  size_t count;
  const char* what;
  std::vector<double> defaults;  // empty: a task's, which are Adam's
};

OptimizerParams optimizer_params(const std::string& optimizer) {
  if (optimizer == "sgd") return {1, "one, its momentum", {0}};
  if (optimizer == "muon")
    return {4, "four, Adam's beta1, beta2 and epsilon and the momentum", {0.9, 0.98, 1e-8, 0.95}};
  return {3, "three, beta1, beta2 and epsilon", {}};
}

void settle_optimizer(TrainingOptions& options) {
  const std::string& name = options.optimizer.optimizer;
  const OptimizerParams params = optimizer_params(name);
  if (!params.defaults.empty() && !options.is_given("optimizer-params"))
    options.optimizer.optimizer_params = params.defaults;
  const std::vector<double>& values = options.optimizer.optimizer_params;
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
void settle_tying(TrainingOptions& options) {
  const auto vocabularies = options.data.vocabs;
  const bool joint = vocabularies.empty() ? options.text.joint_vocab : vocabularies.size() == 1;
  // A pretrained model's table may be both sides', though each cuts its text in its own way.
  if (!options.model.tied_embeddings_all || joint || !options.saving.pretrained_model.empty()) return;
  if (options.is_given("tied-embeddings-all")) {
    fail(ErrorKind::usage,
         "tied-embeddings-all: both sides must share a vocabulary; set joint-vocab or tie less");
  }
  options.model.tied_embeddings_all = false;
  if (!options.is_given("tied-embeddings")) options.model.tied_embeddings = true;
}

void check_training(TrainingOptions& options, const OptionList& list) {
  settle_optimizer(options);
  check_precision(options);
  check_paths(list);
  check_model_type(options);
  check_model(options.model);
  settle_tying(options);
  loop_options(options);  // when it ends, saves and validates: refused before any text is read
  check_counts_updates(options.schedule.lr_warmup, "lr-warmup");
  check_method(options);
}

// What the command line asks for and the other options leave without effect. It is the command line
// alone: a config file may be a run's own, in which every option stands.
void check_effects(const TrainingOptions& options, const GivenOptions& from_command_line) {
  const auto asked = [&](const char* key) { return find_given(from_command_line, key) != nullptr; };
  const auto needs = [&](const char* key, const char* what, bool given) {
    if (asked(key) && !given)
      fail(ErrorKind::usage, "{}: has no effect without {}; give that, or leave this out", key, what);
  };
  const bool plateau = options.schedule.lr_schedule == "plateau";
  for (const char* const key : {"lr-decay", "lr-decay-patience", "lr-decay-start"})
    needs(key, "lr-schedule plateau", plateau);
  needs("early-stopping", "valid-sets",
        !options.data.valid_sets.empty() || options.stopping.early_stopping == 0);
  // Of a task that is cut short it begins earlier (tools/app/training_phases.h).
  if (asked(kMethodBegins)) check_method_begins(options);
}

// Its weights are of one type, whatever a task makes of its sizes. A run that goes on has begun
// with it already.
void check_pretrained_type(const TrainingOptions& options, const InheritedOptions& inherited,
                           const GivenOptions& from_file, const GivenOptions& from_command_line) {
  if (inherited.of_model.empty() || inherited.goes_on) return;
  const GivenOption* const given = find_given(inherited.of_model, "type");
  const std::string type = given ? given->words.front() : "translation";
  const GivenOption* const asked = find_given(from_file, from_command_line, "type");
  const std::string& wanted = asked ? asked->words.front() : options.model.type;
  if (type == wanted) return;
  fail(ErrorKind::usage, "pretrained-model: is of type {}, and this training of type {}; give --task {}",
       type, wanted, type == "translation" ? "transformer-tiny" : type);
}

// --precision auto is chosen when a run begins, and kept on any machine.
void keep_precision(const TrainingOptions& options, OptionList& list, const GivenOptions& from_run) {
  const GivenOption* const of_run = find_given(from_run, "precision");
  if (of_run && options.compute.precision == "auto") list.apply({*of_run}, OptionList::Origin::user);
}

// The preset where neither a --task nor a run says it: one for a pretrained model's type. "" where
// nothing says it.
std::string inherited_task(const GivenOptions& of_model) {
  // Two of the presets are called as the types that they are for.
  const GivenOption* const type = find_given(of_model, "type");
  return type && type->words.front() != "translation" ? type->words.front() : "";
}

void apply_preset(TrainingOptions& options, OptionList& list, const InheritedOptions& inherited,
                  const GivenOptions& from_file, const GivenOptions& from_command_line) {
  const GivenOption* task = find_given(from_file, from_command_line, "task");
  const GivenOption* const task_of_run = find_given(inherited.of_run, "task");
  const bool of_run = task_of_run && (!task || task->words == task_of_run->words);
  if (of_run) task = task_of_run;
  const bool names_text = find_given(from_file, from_command_line, "train-sets") != nullptr;
  if (!of_run && !names_text)
    list.apply(inherited.of_run,
               OptionList::Origin::user);  // before another task: what it changes is refused later
  if (!task) {
    const std::string name = inherited_task(inherited.of_model);
    if (!name.empty()) options.task = name;
  }
  list.apply(options_of_preset(list, task ? task->words.front() : options.task), OptionList::Origin::preset);
  check_pretrained_type(options, inherited, from_file, from_command_line);
  list.apply(inherited.of_model, OptionList::Origin::preset);
  if (of_run) list.apply(inherited.of_run, OptionList::Origin::user);
}

TrainingOptions build(const InheritedOptions& inherited, const GivenOptions& from_file,
                      const GivenOptions& from_command_line) {
  TrainingOptions options;
  OptionList list = options_of(options);
  apply_preset(options, list, inherited, from_file, from_command_line);
  list.apply(from_file, OptionList::Origin::user);
  list.apply(from_command_line, OptionList::Origin::user);
  keep_precision(options, list, inherited.of_run);
  check_training(options, list);
  check_effects(options, from_command_line);
  return options;
}

}  // namespace

std::optional<std::string> read_training_options(TrainingOptions& options, int argc, const char* const* argv,
                                                 const Inherit& inherit) {
  const OptionList list = options_of(std::as_const(options));
  CommandWords words = read_command(list, argc, argv);
  check_runs(list, words.from_command_line, {argv + std::min(argc, 1), argv + argc});
  if (words.answer) return words.answer;
  const InheritedOptions inherited =
      inherit ? inherit(words.from_file, words.from_command_line) : InheritedOptions{};
  options = build(inherited, words.from_file, words.from_command_line);
  if (asks_for(words.from_command_line, "dump-config")) return options_of(std::as_const(options)).to_toml();
  return std::nullopt;
}

std::optional<TrainingOptions> parse_training_options(int argc, const char* const* argv,
                                                      const Inherit& inherit) {
  TrainingOptions options;
  const std::optional<std::string> answer = read_training_options(options, argc, argv, inherit);
  if (!answer) return options;
  print_page(*answer);
  return std::nullopt;
}

TrainingOptions training_options_from_toml(const std::string& text, const std::string& name) {
  const TrainingOptions any;
  return build({}, parse_config(options_of(any), text, name), {});
}

}  // namespace xf::tools
