// What validations leave in a run folder besides metrics.jsonl: valid.tsv, a row for each, and
// samples/, what became of each sentence of --valid-print.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/report/run_log.h"
#include "tools/report/validation_result.h"

namespace xf::tools {

class ValidationFiles {
 public:
  // Cuts what is there back to the rows of updates up to `last_update`: what a resumed run will
  // write again.
  ValidationFiles(std::string run, int64_t last_update);

  // A row in valid.tsv; in samples/ one for each sample, where this validation is recorded. A file
  // that cannot be written says so once and stops nothing.
  void add(const nn::TrainingState& state, const ValidationResult& result, bool best);

  // Whether validation number n, from 1, is recorded in samples/: each of the first 127, every
  // second up to 255, every fourth up to 511, and so on, so that the files stay small however long
  // the run is.
  static bool recorded(int64_t n);

 private:
  void add_row(const nn::TrainingState& state, const ValidationResult& result, bool best);
  void add_sample(int64_t update, const Sample& sample);

  std::string run_;
  bool told_of_link_ = false;
  std::string header_;  // that valid.tsv's next row is under
  std::unique_ptr<LogFile> table_;
  std::map<int64_t, std::unique_ptr<LogFile>> samples_;  // by number
};

// A file of samples/.
struct SampleHistory {
  std::string source, reference;
  std::vector<std::pair<int64_t, std::string>> translations;  // by update
};
// Those of a run, by the number of the sentence; lines that are none are left out.
std::map<int64_t, SampleHistory> read_samples(const std::string& run);

// Removes valid.tsv and the files of samples/, and that folder if nothing else is in it.
void remove_validation_files(const std::string& run);

}  // namespace xf::tools
