#include "tools/training_setup.h"

#include <fmt/format.h>

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
  const data::BatchCapacity capacity = batch_capacity(options, inputs.corpus);
  const BatchSize largest{capacity.source_tokens, capacity.target_tokens, capacity.sentences};
  const auto seed = static_cast<uint64_t>(options.get_int("seed"));
  const DType dtype = chosen_dtype(options);
  const nn::TransformerConfig model = model_config(options, inputs.vocabularies);

  data::TrainingBatches batches(inputs.corpus, batch_specials(model.type, inputs.vocabularies), capacity,
                                seed, batch_order(options));
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

std::string batches_line(const TrainingSetup& setup, const TrainingInputs& inputs) {
  std::string line = fmt::format("{:.1f} updates per epoch", setup.updates_per_epoch);
  const data::BatchOrder order = batch_order(inputs.options);
  if (order.pool == 0) return line;
  const auto padding = [&](const data::BatchOrder& cut) {
    return 100 * data::padding_share(inputs.corpus,
                                     data::epoch_batches(inputs.corpus, setup.capacity, cut, setup.seed, 0));
  };
  return line + fmt::format("; padded, {:.1f}% of a batch would be padding, {:.1f}% if none were sorted",
                            padding(order), padding({.shuffle = order.shuffle}));
}

TrainedModel::TrainedModel(const TrainingSetup& setup)
    : registry(setup.dtype),
      model(nn::make_model(setup.model, registry)),
      arena(setup.device, static_cast<int64_t>(kArenaSlack * static_cast<double>(setup.plan.activations))),
      trainer(ready(*model, registry, setup.device), registry, arena, setup.trainer) {}

}  // namespace xf::tools
