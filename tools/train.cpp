#include "tools/train.h"

#include "core/parallel.h"
#include "tools/model_config.h"
#include "tools/training_run.h"

namespace xf::tools {

int train(const Options& options) {
  options.require("model");
  options.require("train-sets");
  chosen_device(options);
  loop_options(options);
  batch_capacity(model_type(options), options.get_int("mini-batch-words"));
  set_thread_count(static_cast<int>(options.get_int("cpu-threads")));
  return run_training(read_training_inputs(options, run_start(options)));
}

}  // namespace xf::tools
