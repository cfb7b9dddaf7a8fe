#include "tools/report/run_pictures.h"
#include "tools/config/training_options.h"

#include <fmt/core.h>

#include <exception>

#include "core/file.h"
#include "tools/console/progress.h"
#include "tools/report/curves.h"

namespace xf::tools {

RunPictures::RunPictures(const TrainingOptions& options)
    : options_(options), run_(options.saving.model), reader_(run_ + "/metrics.jsonl") {}

template <typename Draw>
void RunPictures::try_to(const char* what, const Draw& draw_it, std::vector<std::string>& problems) const {
  try {
    draw_it();
  } catch (const std::exception& error) {
    problems.push_back(fmt::format("{}: {}", what, error.what()));
  }
}

void RunPictures::write_report(const RunMetrics& metrics, const RunStatus& status) const {
  if (!options_.logging.report) return;
  atomic_write(run_ + "/report.html",
               run_page({run_, options_, metrics, read_samples(run_), attention_}, status),
               Existing::replaced);
}

std::vector<std::string> RunPictures::draw(const RunStatus& status) {
  std::vector<std::string> problems;
  const RunMetrics& metrics = reader_.read();
  try_to(
      "the curves were not drawn", [&] { write_curves(run_, metrics); }, problems);
  try_to(
      "the report was not drawn", [&] { write_report(metrics, status); }, problems);
  if (metrics.foreign > 0) {
    problems.push_back(
        fmt::format("{}/metrics.jsonl: the curves leave out {} that xformer-train did not write", run_,
                    counted(metrics.foreign, "line")));
  }
  std::erase_if(problems, [&](const std::string& problem) { return !told_.insert(problem).second; });
  return problems;
}

}  // namespace xf::tools
