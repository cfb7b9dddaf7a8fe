// The drawings in a run folder: its curves and report.html, drawn anew while the run goes on.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/config/training_options.h"
#include "tools/report/run_metrics.h"
#include "tools/report/run_page.h"

namespace xf::tools {

class RunPictures {
 public:
  // `options`: of the run; must outlive the object.
  explicit RunPictures(const TrainingOptions& options);

  // What the report shows of attention from now on.
  void show_attention(std::vector<Gallery> attention) { attention_ = std::move(attention); }

  // Pictures never stop training: what kept them from being drawn whole, a full disk or lines of
  // metrics.jsonl that are none, is returned as lines for the user, each of them once.
  std::vector<std::string> draw(const RunStatus& status);

 private:
  template <typename Draw>
  void try_to(const char* what, const Draw& draw_it, std::vector<std::string>& problems) const;
  void write_report(const RunMetrics& metrics, const RunStatus& status) const;

  const TrainingOptions& options_;
  std::string run_;
  MetricsReader reader_;
  std::vector<Gallery> attention_;
  std::set<std::string> told_;
};

// The curves of a run as files: loss.svg and bleu.svg by update; loss_by_epoch.svg and
// bleu_by_epoch.svg once an epoch has ended. Error resources where one cannot be written.
void write_curves(const std::string& run, const RunMetrics& metrics);

}  // namespace xf::tools
