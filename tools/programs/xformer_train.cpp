// xformer-train: parallel text in, a trained Transformer out; or, of runs that there are, a page
// that compares them.

#include <csignal>

#include "tools/app/equal_ranks.h"
#include "tools/app/inherited_options.h"
#include "tools/app/ranks.h"
#include "tools/app/train.h"
#include "tools/config/program_options.h"
#include "tools/config/training_options.h"
#include "tools/console/message.h"
#include "tools/console/output_file.h"
#include "tools/console/progress.h"
#include "tools/formats/print_model.h"
#include "tools/report/run_comparison.h"
#include "tools/setup/read_training_options.h"

namespace xf::tools {
namespace {

int compare_runs(const TrainingOptions& options) {
  const std::vector<std::string>& runs = options.logging.runs;
  const std::string& path = options.logging.output;
  check_ending(path, "html");
  OutputFile page(path);
  page.write_line(comparison_page(runs));
  page.close();
  if (path != "-") tell("{}: {} compared", path, counted(static_cast<int64_t>(runs.size()), "run"));
  return 0;
}

int program(int argc, char** argv, Collective& ranks) {
  const auto options = parse_training_options(argc, argv, inherited_options);
  check_same_options(options, ranks);
  if (!options) return 0;
  if (options->numerics.print_model) {
    print_page(print_model(*options));
    return 0;
  }
  if (!options->logging.runs.empty()) return compare_runs(*options);
  std::signal(SIGPIPE, SIG_IGN);  // who closes the pipe that shows the progress does not end the
                                  // training
  return train(*options, ranks);
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_ranks(argc, argv, xf::tools::program); }
