// One update of the model: forward and backward of its micro-batches, gradient norm, optimiser. Of
// several ranks (core/dist/collective.h) each computes its share of the micro-batches; the sum of
// their gradients is that of one rank with them all, but for the order of its sums, and so are the
// losses.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/dist/collective.h"
#include "core/graph.h"
#include "nn/evaluation.h"
#include "nn/train/graph_batch.h"
#include "nn/train/optimizer.h"
#include "nn/train/schedule.h"
#include "nn/train/smoothing.h"
#include "nn/train/training_method.h"
#include "nn/train/word_dropout.h"

namespace xf::nn {

struct TrainerOptions {
  Schedule schedule;
  OptimizerOptions optimizer;
  float clip_norm = 0;        // 0: off
  int64_t micro_batches = 1;  // accumulated per update, of each rank (--optimizer-delay)
  uint64_t seed = 1;          // of the dropout masks
  TrainingMethod method;      // none: cross-entropy
  WordDropout word_dropout;
  double smoothing = 0;  // of the weights' exponential mean; 0: none is made
  // A larger batch is computed in parts, with the same gradient, but for the masks of a method that
  // reads it several times. All zero: none is, and nothing is captured as a graph.
  BatchSize capacity;
  Collective* ranks = nullptr;  // null: this process alone
  // Each rank keeps the optimiser's state of its piece of the parameters, and moves that piece:
  // what a store of bf16 must be allocated for.
  bool shard_optimizer = false;
};

struct UpdateResult {
  int64_t update = 0;
  LossSums loss;
  int64_t source_tokens = 0, sentences = 0;
  double learning_rate = 0;
  double gradient_norm = 0;  // of the mean loss, before clipping; not finite: the update was
                             // skipped
};

class Trainer {
 public:
  // The store must be allocated with gradients; `arena` serves the activations.
  Trainer(const Model& model, const ParameterStore& store, Arena& arena, const TrainerOptions& options);

  // Starts update number `update`, from 1. On CUDA it is only queued: nothing waits for it, and its
  // loss stays on the device until finished(). At most kMostStarted may be started and not asked
  // for. Where the memory does not suffice the update begins anew with half the capacity, on the
  // CPU; Error resources if it does not suffice for one sentence.
  static constexpr size_t kMostStarted = 64;
  // `plateau`: what the schedule remembers of the validations so far. `rate_scale`: times the
  // schedule's rate. `skip_batch` passes over a batch that another rank computes; without it
  // next_batch() does.
  void start(int64_t update, const std::function<PackedBatch()>& next_batch, const PlateauState& plateau = {},
             double rate_scale = 1, const std::function<BatchSize()>& skip_batch = {});
  // The updates started and not asked for yet; the most recent one has the batch's counts, the loss
  // is not known.
  const std::vector<UpdateResult>& started() const { return started_; }
  // Their results, the oldest first; waits for them.
  std::vector<UpdateResult> finished();
  // Whether finished() would have to wait for a device.
  bool runs_ahead() const { return store_.device().type == DeviceType::cuda; }

  // The optimiser's count of updates, on which its corrections depend, begins behind `update`: its
  // moments were none then.
  void begin_optimizer_behind(int64_t update) { optimizer_began_ = update; }

  // Starts an update and waits for it.
  UpdateResult update(int64_t update, const std::function<PackedBatch()>& next_batch);

  // What goes wrong first in a pass over `batch` (nn/train/bad_value.h), of several ranks' in the
  // first one where something does. Leaves the gradients zeroed.
  std::optional<std::string> first_bad_value(int64_t update, const PackedBatch& batch);

  // What the first part of an update and the move of the weights launch, where steps are replayed
  // and two were computed; of an update by the method, if two of those were.
  std::vector<std::string> launches() const;

  Collective& ranks() const { return ranks_; }
  // The largest batch that is computed at once; all zero: any.
  const BatchSize& capacity() const { return options_.capacity; }
  const Optimizer& optimizer() const { return *optimizer_; }
  const Smoothing* smoothing() const { return smoothing_.get(); }  // null: none
  const Schedule& schedule() const { return options_.schedule; }
  const TrainingMethod& method() const { return options_.method; }

 private:
  // A batch, and what of its update comes before it.
  struct PlacedBatch {
    PackedBatch batch;
    int64_t source_tokens = 0, target_tokens = 0;
  };
  std::vector<PlacedBatch> take_share(UpdateResult& result, const std::function<PackedBatch()>& next_batch,
                                      const std::function<BatchSize()>& skip_batch) const;
  void accumulate_all(int64_t update, const std::vector<PlacedBatch>& batches);
  void accumulate_within_memory(int64_t update, const std::vector<PlacedBatch>& batches);
  void count_from(const BatchPlace& place);
  PackedBatch as_read(const PackedBatch& batch, const BatchPlace& place) const;
  void accumulate(int64_t update, const PackedBatch& batch, kernels::Accumulate gradients);
  void lower_capacity(const std::vector<PlacedBatch>& batches, const std::string& cause);
  void forward_backward(int64_t update, const PackedBatch& batch, kernels::Accumulate gradients);
  void sum_over_ranks();
  void move_weights();  // by the sum over the ranks

  const Model& model_;
  const ParameterStore& store_;
  Arena& arena_;
  TrainerOptions options_;
  Collective& ranks_;
  std::unique_ptr<Optimizer> optimizer_;
  int64_t optimizer_began_ = 0;  // begin_optimizer_behind()
  std::unique_ptr<Smoothing> smoothing_;
  std::vector<UpdateResult> started_;
  Tensor loss_;                    // [2]: sums over the update so far
  Tensor losses_, norms_squared_;  // [kMostStarted, 2], [kMostStarted]: of the updates in started_
  Tensor counters_;                // i32 [2, 2]: {update, first token} of source and target
  Upload counters_upload_;         // in turn with the device
  // Where work is replayed: the parts of updates before the method begins, and by it.
  struct Replay {
    std::unique_ptr<GraphBatch> batch;
    Graph first_part, later_part;
  };
  Replay before_method_, by_method_;
  Graph optimizer_graph_;
};

}  // namespace xf::nn
