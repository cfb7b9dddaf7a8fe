#include "tools/app/train.h"
#include "tools/config/training_options.h"
#include "tools/setup/compute_device.h"

#include <fmt/core.h>

#include <span>

#include "core/error.h"
#include "core/parallel.h"
#include "core/stop.h"
#include "tools/app/equal_ranks.h"
#include "tools/app/ranks.h"
#include "tools/app/run_origin.h"
#include "tools/app/training_phases.h"
#include "tools/app/training_run.h"
#include "tools/console/message.h"
#include "tools/console/progress.h"
#include "tools/report/log_format.h"
#include "tools/report/run_report.h"
#include "tools/setup/model_config.h"

namespace xf::tools {

namespace {

// As rank 0 sees the run folder: it may write there before another one has looked.
RunStart agreed_start(const TrainingOptions& options, Collective& ranks) {
  int64_t start = 0;
  ranks.on_rank0([&] { start = static_cast<int64_t>(run_start(options)); });
  ranks.sum(std::span(&start, 1));
  return static_cast<RunStart>(start);
}

// Other ranks than the first draw nothing; and of the GPUs of a host each of its ranks takes one,
// in their order, where none is named. A launcher may let each rank see its own alone.
TrainingOptions options_of_rank(const TrainingOptions& options, const Collective& ranks) {
  TrainingOptions own = options;
  if (!ranks.is_first()) own.logging.report = false;
  const std::string spec = options.compute.device;
  if (ranks.place_on_host() > 0 && (spec == "cuda" || spec == "auto") &&
      choose_device(spec).device.type == DeviceType::cuda) {
    const int device = ranks.place_on_host() % cuda_device_count();
    own.compute.device = fmt::format("cuda:{}", device);
  }
  return own;
}

}  // namespace

int train(const TrainingOptions& given, Collective& ranks) {
  TrainingOptions options = options_of_rank(given, ranks);
  options_of(options).require("model");
  options_of(options).require("train-sets");
  ranks.set_timeout(options.processes.collective_timeout);
  ranks.on_all_ranks([&] { set_up_device(options.compute); });
  check_same_files(options, ranks);
  keep_phases(options);
  loop_options(options);
  batch_capacity(model_type(options.model), options.batches.mini_batch_words);
  set_thread_count(threads_of_rank(options.compute, ranks));
  check_same_arithmetic(options, thread_count(), ranks);
  const LogFormat* const format = options.quiet ? nullptr : added_log_format(options);
  const RunStart start = agreed_start(options, ranks);
  const ChosenPrecision precision = chosen_precision(options.compute);
  options.compute.precision = precision.name;
  ranks.on_all_ranks([&] {
    if (start == RunStart::resumed || resumes_checkpoint(options)) check_texts(options);
  });
  if (format) tell("{}", format->reading());
  ProgressDisplay display(stderr, display_terminal(options));
  // Who calls the library may ask for a stop; a program ends at once: nothing is written yet.
  const auto check_caller = [&] {
    if (ranks.size() == 1) check_stop();
  };
  const auto activity = [&](const std::string& text) {
    display.activity(text);
    ranks.heartbeat();
    check_caller();
  };
  const auto line = [&](const std::string& text) {
    if (ranks.is_first() && !options.quiet) display.message(text);
  };
  TrainingInputs inputs = read_training_inputs(options, start, Announce(activity, line), ranks);
  check_same_inputs(inputs, ranks);
  if (start != RunStart::resumed && !inputs.checkpoint) {
    const double epochs = epochs_allowed(inputs.options, inputs.corpus, ranks.size());
    if (const std::string note = fit_phases(inputs.options, epochs); !note.empty())
      inputs.notes.push_back(note);
  }
  check_same_options(inputs.options, ranks);
  if (!precision.note.empty()) inputs.notes.push_back(precision.note);
  display.clear();
  check_caller();
  if (format) tell("{}", format->read());
  return run_training(std::move(inputs), ranks);
}

}  // namespace xf::tools
