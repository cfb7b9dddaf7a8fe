// xformer-score table: runs beside each other, each number from the run's own training.toml and
// metrics.jsonl.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/config/training_options.h"
#include "tools/report/run_metrics.h"

namespace xf::tools {

struct ResultRow {
  std::string model;  // the run folder and its task
  int64_t parameters = 0;
  std::string data_set;  // "multi30k/val.en-de"
  std::string metric;    // its name, and how it was measured
  double score = 0;
};

// Of a run folder: the scores of the best checkpoint by the metric that chose it, or by those
// named, and, where the run has ended and no metric is named, those of the averaged model. Error
// data if the folder is no run, or has not measured what is asked for.
std::vector<ResultRow> result_rows(const std::string& run, const std::vector<std::string>& metrics);
// The same of a run whose files are read already.
std::vector<ResultRow> result_rows(const std::string& run, const TrainingOptions& options,
                                   const RunMetrics& measured, const std::vector<std::string>& metrics);

std::string results_as_text(const std::vector<ResultRow>& rows);
std::string results_as_markdown(const std::vector<ResultRow>& rows);

}  // namespace xf::tools
