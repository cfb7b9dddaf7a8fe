// What a run's metrics.jsonl says: read once for curves, report and tables, and read on while the
// run writes it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace xf::tools {

// A report of training; what the line does not have, or has as null, is NaN.
struct TrainRecord {
  double update = 0, epoch = 0, seconds = 0;
  double smoothed = 0, plain = 0;  // nats per target token: as it is minimised, and without label
                                   // smoothing
  double learn_rate = 0, gradient_norm = 0, tokens_per_second = 0, memory_mb = 0;
};

// The training loss of an epoch that has ended, under the names of --valid-metrics.
struct EpochRecord {
  double epoch = 0;  // from 1
  std::map<std::string, double> losses;
};

// One metric of a validation.
struct ScoreRecord {
  int64_t update = 0, epoch = 0;
  double seconds = 0;
  std::string metric;
  double score = 0;
  std::string signature;
  bool chooses = false, best = false;  // the first of --valid-metrics; and it was the best so far
};

struct AveragedRecord {
  std::string metric;
  double score = 0;
  int64_t beam = 0;
  std::string signature;
};

// The averaged model on a text of --test-sets.
struct TestRecord {
  std::string set;
  AveragedRecord measured;
};

struct RunMetrics {
  std::map<std::string, std::string> begin;  // the fields of the run's first line, numbers as text
  std::vector<TrainRecord> training;         // by update
  std::vector<EpochRecord> epochs;
  std::vector<ScoreRecord> scores;  // by update
  // The latest, of a run that was ended and gone on with; of each test set, too.
  std::optional<AveragedRecord> averaged;
  std::vector<TestRecord> tests;
  int64_t foreign = 0;  // lines that this program did not write: somebody's own, or half of one

  int64_t number(const std::string& field) const;  // of `begin`; 0 where it has none
  // The update whose checkpoint is the best; -1: nothing was validated.
  int64_t best_update() const;
};

// Whether more of a metric is better, and not less.
bool higher_is_better(const std::string& metric);
// Two digits of such a score, four of the others.
std::string score_text(const std::string& metric, double score);

class MetricsReader {
 public:
  explicit MetricsReader(std::string path) : path_(std::move(path)) {}
  // With what was appended since the last call. A file that is not there, or not yet whole in its
  // last line, is read as far as it goes; one that has become shorter, from its beginning.
  const RunMetrics& read();

 private:
  std::string path_;
  RunMetrics metrics_;
  int64_t read_ = 0;  // bytes
};

// "case:lc", "tok:13a" and "nfc:yes" of BLEU's signature: scores that differ in one of them cannot
// be compared.
std::vector<std::string> scoring_keys(const std::string& signature);

// Of a run folder. Error data if it has no metrics.jsonl.
RunMetrics read_run_metrics(const std::string& run);

}  // namespace xf::tools
