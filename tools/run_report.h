// What a training run shows and writes down: the display, train.log and metrics.jsonl.
#pragma once

#include <memory>
#include <string>

#include "nn/training_loop.h"
#include "tools/options.h"
#include "tools/progress.h"
#include "tools/run_log.h"
#include "tools/validation.h"

namespace xf::tools {

class RunReport {
 public:
  // The arguments must outlive the object.
  RunReport(const Options& options, const nn::LoopOptions& loop, double updates_per_epoch);

  // Bytes of the two files; kKeepAll: all there are.
  struct Lengths {
    int64_t log = 0, metrics = 0;
  };
  // Opens the files, cut back to what they were. Until then only the display is there.
  void open(const Lengths& keep);
  Lengths lengths() const;

  void show(const std::string& text);  // on the display
  void note(const std::string& text);  // in train.log
  void say(const std::string& text);   // both
  void warn(const std::string& text);
  void metrics(const std::string& json);
  void clear() { display_.clear(); }
  bool seed_format() const { return log_format_ == "seed"; }  // tools/seed_log.h

  void begin_as_seed(const Vocabularies& vocabularies, int64_t parameters);
  void update(const nn::TrainingState& state, const nn::UpdateResult& result);
  void report(const nn::TrainingState& state, const nn::UpdateResult& result);
  void epoch(const nn::TrainingState& state);  // that has ended
  void validation(const nn::TrainingState& state, const ValidationResult& result, bool best);
  void draw_curves();  // loss.svg and bleu.svg; warns, once for each reason, when they cannot be drawn

 private:
  Progress progress_of(const nn::TrainingState& state, const nn::UpdateResult& result) const;
  void validation_metrics(const nn::TrainingState& state, const ValidationResult& result, bool best);
  std::string validation_line(const nn::TrainingState& state, const ValidationResult& result,
                              bool best) const;
  bool shows() const;
  bool has_own_log() const { return !options_.is_set("log"); }  // else the user's file, which is never cut

  const Options& options_;
  const nn::LoopOptions& loop_;
  double updates_per_epoch_;
  std::string run_, log_format_;
  ProgressDisplay display_;
  std::unique_ptr<LogFile> log_, metrics_;
  std::string curves_problem_;  // that the user knows of
};

}  // namespace xf::tools
