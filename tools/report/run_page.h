// report.html: a training run on one page, with all that is known of it by now.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nn/train/training_loop.h"
#include "tools/config/training_options.h"
#include "tools/report/matrix_picture.h"
#include "tools/report/run_metrics.h"
#include "tools/report/validation_files.h"

namespace xf::tools {

struct RunStatus {
  std::string state = "training";  // or "finished", "stopped", what ended it
  nn::TrainingState training;
  int64_t last_update = 0;  // where training will stop at the latest; 0: not known
};

struct RunContent {
  std::string run;  // the folder
  const TrainingOptions& options;
  const RunMetrics& metrics;
  std::map<int64_t, SampleHistory> samples;
  const std::vector<Gallery>& attention;
};

// A page that stands alone, without scripts; under a megabyte however long the run was.
std::string run_page(const RunContent& content, const RunStatus& status);

}  // namespace xf::tools
