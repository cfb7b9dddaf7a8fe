// xformer-train: parallel text in, a trained Transformer out.
#include <fmt/format.h>

#include <csignal>

#include "core/stop.h"
#include "tools/main.h"
#include "tools/print_model.h"
#include "tools/train.h"

namespace xf::tools {
namespace {

int program(int argc, char** argv) {
  const auto options = parse_options(Program::train, argc, argv);
  if (!options) return 0;
  if (options->get_bool("print-model")) {
    fmt::print("{}", print_model(*options));
    return 0;
  }
  watch_signals(OnStop::end);
  std::signal(SIGPIPE, SIG_IGN);  // who closes the pipe that shows the progress does not end the training
  return train(*options);
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_program(argc, argv, xf::tools::program); }
