#include "tools/training_setup.h"

#include "tools/model_config.h"

namespace xf::tools {

namespace {

// Room over the plan: batches of other shapes than the largest leave gaps between their tensors.
constexpr double kArenaSlack = 1.25;

// Its tensors allocated and its tables made: what a Trainer asks for.
nn::Model& ready(nn::Model& model, nn::Registry& registry, Device device) {
  registry.allocate(device, nn::Registry::Gradients::yes);
  model.bind(device);
  return model;
}

}  // namespace

TrainingSetup training_setup(const TrainingInputs& inputs) {
  const Options& options = inputs.options;
  const nn::ModelType type = model_type(options);
  const data::BatchCapacity capacity = batch_capacity(type, options.get_int("mini-batch-words"));
  const BatchSize largest{capacity.source_tokens, capacity.target_tokens, capacity.sentences};
  const auto seed = static_cast<uint64_t>(options.get_int("seed"));
  const DType dtype = chosen_dtype(options);
  const nn::TransformerConfig model =
      model_config(options, inputs.vocabularies.source->size(), inputs.vocabularies.target->size());

  data::TrainingBatches batches(inputs.corpus, batch_specials(type, inputs.vocabularies), capacity, seed,
                                options.get_string("shuffle") == "data");
  const double updates_per_epoch = static_cast<double>(batches.batches_in_epoch(0)) /
                                   static_cast<double>(options.get_int("optimizer-delay"));
  nn::TrainerOptions trainer = trainer_options(options, updates_per_epoch);
  trainer.capacity = largest;
  return {.loop = loop_options(options),
          .capacity = capacity,
          .seed = seed,
          .batches = std::move(batches),
          .updates_per_epoch = updates_per_epoch,
          .model = model,
          .trainer = trainer,
          .dtype = dtype,
          .device = chosen_device(options),
          .plan = nn::plan_memory(model, largest, dtype)};
}

TrainedModel::TrainedModel(const TrainingSetup& setup)
    : registry(setup.dtype),
      model(nn::make_model(setup.model, registry)),
      arena(setup.device, static_cast<int64_t>(kArenaSlack * static_cast<double>(setup.plan.activations))),
      trainer(ready(*model, registry, setup.device), registry, arena, setup.trainer) {}

}  // namespace xf::tools
