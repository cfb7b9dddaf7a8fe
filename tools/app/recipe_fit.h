// What a task (--task) assumes of its text, fitted to the text at hand where the user has not said
// it, and warnings where it does not fit. The fit depends on task and text alone, not on --after: a
// run in pieces is the run in one.
#pragma once

#include <string>
#include <vector>

#include "data/vocabularies.h"
#include "tools/app/training_setup.h"
#include "tools/config/training_options.h"

namespace xf::tools {

// Where so many processes train. Batches are not cut yet: nearly.
double estimated_updates_per_epoch(const TrainingOptions& options, const data::CorpusStatistics& statistics,
                                   int processes);

class RecipeFit {
 public:
  // Changes these options. A run that goes on keeps its own: then nothing is fitted.
  RecipeFit(TrainingOptions& options, RunStart start, int processes);
  bool fits() const { return fits_; }

  // Before the vocabulary is learnt from the text: --vocab-size.
  void fit_vocabulary(const data::ParallelText& text);
  // Before the text is encoded: --max-length, by a sample of it.
  void fit_length(const data::ParallelText& text, const data::Vocabularies& vocabularies);
  // Behind that: --mini-batch-words, --lr-warmup and --learn-rate.
  void fit_training(const data::CorpusStatistics& statistics);

  // "fitted to 1,000 pairs: vocab-size 2200 (not 10000); ..."; "" where nothing was.
  std::string line(const data::CorpusStatistics& statistics) const;

 private:
  bool may_set(const char* option) const { return fits_ && !options_.is_given(option); }
  void set(const char* option, const std::string& word);
  void fit_batches(const data::CorpusStatistics& statistics);
  void fit_warmup(const data::CorpusStatistics& statistics);
  void fit_rate(const data::CorpusStatistics& statistics);

  TrainingOptions& options_;
  bool fits_;
  int processes_;
  std::string changes_;
};

// What of a training will not do as it stands: a schedule that cannot reach its peak, a rate of
// another schedule, pairs that are left out.
std::vector<std::string> recipe_warnings(const TrainingInputs& inputs, const TrainingSetup& setup);

}  // namespace xf::tools
