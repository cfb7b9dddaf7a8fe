#include "tools/train.h"

#include <fmt/format.h>

#include "core/parallel.h"
#include "tools/model_config.h"
#include "tools/progress.h"
#include "tools/run_report.h"
#include "tools/seed_log.h"
#include "tools/training_run.h"

namespace xf::tools {

int train(const Options& options) {
  options.require("model");
  options.require("train-sets");
  set_up_device(options);
  loop_options(options);
  batch_capacity(model_type(options), options.get_int("mini-batch-words"));
  set_thread_count(static_cast<int>(options.get_int("cpu-threads")));
  const bool seed_format = options.get_string("log-format") == "seed" && !options.get_bool("quiet");
  const RunStart start = run_start(options);
  if (seed_format) fmt::print(stderr, "{}\n", kDatasetStart);
  ProgressDisplay display(stderr, display_terminal(options));
  TrainingInputs inputs =
      read_training_inputs(options, start, [&](const std::string& text) { display.activity(text); });
  display.clear();
  if (seed_format) fmt::print(stderr, "{}\n", kDatasetDone);
  return run_training(std::move(inputs));
}

}  // namespace xf::tools
