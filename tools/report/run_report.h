// What a training run shows and writes down: the display, train.log, metrics.jsonl, what
// validations leave, and pictures.
#pragma once

#include <memory>
#include <string>

#include "data/vocabularies.h"
#include "nn/train/training_loop.h"
#include "tools/config/training_options.h"
#include "tools/console/progress.h"
#include "tools/report/log_format.h"
#include "tools/report/run_log.h"
#include "tools/report/run_pictures.h"
#include "tools/report/run_progress.h"
#include "tools/report/validation_files.h"

namespace xf::tools {

// Where the standard error shows what goes on; a terminal that is not redrawn where the options ask
// for plain lines or none.
Terminal display_terminal(const TrainingOptions& options);

class RunReport {
 public:
  // The options must outlive the object.
  RunReport(const TrainingOptions& options, const nn::LoopOptions& loop, const RunLength& length);

  // Bytes of the two files; kKeepAll: all there are.
  struct Lengths {
    int64_t log = 0, metrics = 0;
  };
  // Opens the files, cut back to what they were when `state` was saved. Until then, and where
  // another rank opens them, only the display is there.
  void open(const Lengths& keep, const nn::TrainingState& state);
  Lengths lengths() const;
  // Training went back to `state`: the validations of after it are forgotten. The log keeps its
  // lines: they say why.
  void went_back(const nn::TrainingState& state);

  void show(const std::string& text);  // on the display
  void note(const std::string& text);  // in train.log
  void say(const std::string& text);   // both
  void warn(const std::string& text);
  void metrics(const std::string& json);
  void activity(const std::string& text);  // on a terminal, in the bar's place
  void clear() { display_.clear(); }
  bool has_added_format() const { return added_format_ != nullptr; }  // tools/report/log_format.h

  // REQUIRES has_added_format().
  void begin_in_added_format(const data::Vocabularies& vocabularies, int64_t parameters);
  void update(const nn::TrainingState& state, const nn::UpdateResult& result);
  void report(const nn::TrainingState& state, const nn::UpdateResult& result);
  void epoch(const nn::TrainingState& state);  // that has ended
  void rate_cut(const nn::TrainingState& state, double rate);
  void validation(const nn::TrainingState& state, const ValidationResult& result, bool best);
  void averaged(const FinalScore& score);
  void tested(const std::string& set, const FinalScore& score);  // of --test-sets
  // Curves and report.html. `ended`: how the run did; empty: it goes on. Warns, once for each
  // reason, when they cannot be drawn.
  void draw(const nn::TrainingState& state, const std::string& ended);

 private:
  void predict(const nn::TrainingState& state);
  void validation_metrics(const nn::TrainingState& state, const ValidationResult& result, bool best);
  std::string validation_line(const nn::TrainingState& state, const ValidationResult& result,
                              bool best) const;
  bool shows() const;
  bool has_own_log() const {
    return options_.logging.log.empty();
  }  // else the user's file, which is never cut

  const TrainingOptions& options_;
  const nn::LoopOptions& loop_;
  double updates_per_epoch_;
  std::string run_, log_format_;
  const LogFormat* added_format_;  // null: the log is the engine's own
  ProgressDisplay display_;
  RunProgress progress_;
  RunPictures pictures_;
  std::unique_ptr<LogFile> log_, metrics_;
  std::unique_ptr<ValidationFiles> validations_;
};

}  // namespace xf::tools
