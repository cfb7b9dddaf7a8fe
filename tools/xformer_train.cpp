// xformer-train: parallel text in, a trained Transformer out.
#include <fmt/format.h>

#include <csignal>

#include "core/parallel.h"
#include "core/stop.h"
#include "tools/main.h"
#include "tools/model_config.h"
#include "tools/print_model.h"
#include "tools/training_run.h"

namespace xf::tools {
namespace {

int train(int argc, char** argv) {
  const auto options = parse_options(Program::train, argc, argv);
  if (!options) return 0;
  if (options->get_bool("print-model")) {
    fmt::print("{}", print_model(*options));
    return 0;
  }
  options->require("model");
  options->require("train-sets");
  // What needs no text is refused before the text is read.
  chosen_device(*options);
  loop_options(*options);
  data::capacity_for(options->get_int("mini-batch-words"));
  watch_signals(OnStop::end);
  std::signal(SIGPIPE, SIG_IGN);  // who closes the pipe that shows the progress does not end the training
  set_thread_count(static_cast<int>(options->get_int("cpu-threads")));
  return run_training(read_training_inputs(*options, run_start(*options)));
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_program(argc, argv, xf::tools::train); }
