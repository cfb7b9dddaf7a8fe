// What validations say of how training does: which saves are the best ones, and for how long
// nothing has got better.
#pragma once

#include "nn/train/training_loop.h"

namespace xf::nn {

// Whether the first metric's score is better than the best so far by more than `epsilon`, or the
// first one. NaN is no score, here and below.
bool is_best(const TrainingState& state, const MetricScore& first, double epsilon);

// Whether it is just as good: of equal scores the later save is kept, which is no progress.
bool equals_best(const TrainingState& state, const MetricScore& first);

// The `count` best saves beside the best one, better ones first, now that this score was measured
// at state.update; where it is the best one, with the best before it. Of equals the later save.
std::vector<ScoredSave> runners_up_with(const TrainingState& state, const MetricScore& first, bool is_best,
                                        int64_t count);

// The metrics after the first one as these scores leave them; one that is new has gained.
// `warming`: training is warming up, and a score that stays the same has not stalled.
std::vector<MetricProgress> followed(const std::vector<MetricProgress>& before,
                                     const std::vector<MetricScore>& scores, double epsilon, bool warming);

// In how many validations the first metric has had one value and no other, now that this score was
// measured: state.same_scores.
int64_t same_scores_with(const TrainingState& state, const MetricScore& first);

// Of the first metric no save is the best any more, and nothing has stalled: earlier scores are of
// another text or metric, or of another folder's saves.
void forget_best(TrainingState& state);

// Validations without progress that --early-stopping counts.
int64_t stalled(const LoopOptions& options, const TrainingState& state);

}  // namespace xf::nn
