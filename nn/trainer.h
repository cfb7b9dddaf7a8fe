// One update of the model: forward and backward of its micro-batches, gradient norm, Adam.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/graph.h"
#include "nn/evaluation.h"
#include "nn/fixed_batch.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"

namespace xf::nn {

struct TrainerOptions {
  Schedule schedule;
  kernels::AdamOptions adam;
  float clip_norm = 0;        // 0: off
  int64_t micro_batches = 1;  // accumulated per update (--optimizer-delay)
  uint64_t seed = 1;          // of the dropout masks
  BatchSize capacity;  // no batch is larger; all zero: unknown, and then nothing is captured as a graph
};

struct UpdateResult {
  int64_t update = 0;
  LossSums loss;
  int64_t source_tokens = 0, sentences = 0;
  double learning_rate = 0;
  double gradient_norm = 0;  // of the mean loss, before clipping; not finite: the update was skipped
};

class Trainer {
 public:
  // The registry must be allocated with gradients; `arena` serves the activations.
  Trainer(const Model& model, const Registry& registry, Arena& arena, const TrainerOptions& options);

  // Starts update number `update`, from 1. On CUDA it is only queued: nothing waits for it, and its loss
  // stays on the device until finished(). At most kMostStarted may be started and not asked for.
  static constexpr size_t kMostStarted = 64;
  // `plateau`: what the schedule remembers of the validations so far.
  void start(int64_t update, const std::function<PackedBatch()>& next_batch,
             const PlateauState& plateau = {});
  // The updates started and not asked for yet; the most recent one has the batch's counts, the loss is not
  // known.
  const std::vector<UpdateResult>& started() const { return started_; }
  // Their results, the oldest first; waits for them.
  std::vector<UpdateResult> finished();
  // Whether finished() would have to wait for a device.
  bool runs_ahead() const { return registry_.device().type == DeviceType::cuda; }

  // Starts an update and waits for it.
  UpdateResult update(int64_t update, const std::function<PackedBatch()>& next_batch);

  // The name of the first parameter whose gradient is not finite after a pass over `batch`; for the report of
  // a divergence. Leaves the gradients zeroed.
  std::optional<std::string> first_bad_gradient(int64_t update, const PackedBatch& batch);

  const Adam& optimizer() const { return adam_; }
  const Schedule& schedule() const { return options_.schedule; }

 private:
  void accumulate(int64_t update, const PackedBatch& batch, int64_t first_source, int64_t first_target);
  void forward_backward(const PackedBatch& batch);

  const Model& model_;
  const Registry& registry_;
  Arena& arena_;
  TrainerOptions options_;
  Adam adam_;
  std::vector<UpdateResult> started_;
  Tensor loss_;                        // [2]: sums over the update so far
  Tensor losses_, norms_squared_;      // [kMostStarted, 2], [kMostStarted]: of the updates in started_
  Tensor counters_;                    // i32 [2, 2]: {update, first token} of source and target
  Upload counters_upload_;             // in turn with the device
  std::unique_ptr<FixedBatch> fixed_;  // where work is replayed
  Graph accumulate_graph_, optimizer_graph_;
};

}  // namespace xf::nn
