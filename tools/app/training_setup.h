// What a training run consists of before it starts: what its options and data decide, and the model
// with its memory.
#pragma once

#include "core/arena.h"
#include "data/batches.h"
#include "nn/train/memory_plan.h"
#include "nn/train/trainer.h"
#include "nn/train/training_loop.h"
#include "tools/app/training_run.h"

namespace xf::tools {

struct TrainingSetup {
  nn::LoopOptions loop;
  data::BatchCapacity capacity;
  uint64_t seed;
  data::TrainingBatches batches;
  double updates_per_epoch;
  nn::TransformerConfig model;
  nn::TrainerOptions trainer;
  std::vector<nn::RateRule> rates;
  DType dtype;
  Device device;
  int64_t workspace;  // bytes, for activations; 0: no limit
  nn::MemoryPlan plan;
};

// `inputs` must outlive it: its batches are cut from their corpus. Error usage for options that do
// not fit together.
TrainingSetup training_setup(const TrainingInputs& inputs, Collective& ranks = Collective::alone());

// Updates per epoch; with --maxi-batch also how much a program that pads would pad. For the log.
std::string batches_line(const TrainingSetup& setup, const TrainingInputs& inputs);

// Parameters are zero until somebody initialises or loads them.
struct TrainedModel {
  explicit TrainedModel(const TrainingSetup& setup);
  TrainedModel(const TrainedModel&) = delete;
  TrainedModel& operator=(const TrainedModel&) = delete;

  nn::ParameterStore store;
  std::unique_ptr<nn::Model> model;
  Arena arena;
  nn::Trainer trainer;
};

}  // namespace xf::tools
