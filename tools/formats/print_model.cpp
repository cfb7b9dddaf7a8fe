#include "tools/formats/print_model.h"

#include <fmt/core.h>

#include <map>

#include "data/batches.h"
#include "nn/model.h"
#include "tools/config/training_options.h"
#include "tools/console/progress.h"
#include "tools/formats/given_vocabulary.h"
#include "tools/setup/compute_device.h"
#include "tools/setup/model_config.h"
#include "tools/setup/task_data.h"

namespace xf::tools {

namespace {

std::string megabytes(int64_t bytes) { return fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6); }

std::pair<int64_t, int64_t> vocabulary_sizes(const TrainingOptions& options) {
  const auto sizes = options.data.vocab_sizes;
  if (!sizes.empty()) return {sizes.front(), sizes.back()};
  if (model_type(options.model) == nn::ModelType::classification)
    fail(ErrorKind::usage, "print-model of a classifier: give --vocab-sizes PIECES CLASSES");
  const auto& paths = options.data.vocabs;
  if (paths.empty()) {
    const int64_t size = options.text.vocab_size;
    return {size, size};
  }
  return {read_given_vocabulary(paths.front())->size(), read_given_vocabulary(paths.back())->size()};
}

std::string row(const std::string& name, const std::string& shapes, int64_t count) {
  return fmt::format("{:<36} {:<58} {:>12}\n", name, shapes, grouped(count));
}

// Without data: sentences as long as they may be.
data::BatchCapacity largest_batch(const TrainingOptions& options) {
  const int64_t sentences = options.batches.mini_batch;
  if (sentences == 0) return batch_capacity(model_type(options.model), options.batches.mini_batch_words);
  const int64_t tokens = sentences * (options.text.max_length + 1);
  return {tokens, tokens, sentences};
}

// A GPU that is named need not be there: its memory is planned, not taken.
DeviceType planned_device(const TrainingOptions& options) {
  const std::string& name = options.compute.device;
  return name.starts_with("cuda") ? DeviceType::cuda : choose_device(name).device.type;
}

}  // namespace

std::string block_of(const std::string& name) {
  const std::string owner = name.substr(0, name.rfind('.'));
  const bool in_layer = owner.find(".layers.") != std::string::npos;
  return in_layer ? owner.substr(0, owner.rfind('.')) : owner;
}

std::string model_line(const nn::TransformerConfig& config, const nn::ParameterStore& store) {
  const char* const positions = config.rotary_positions    ? " · rotary positions"
                                : config.learned_positions ? " · learnt positions"
                                                           : "";
  return fmt::format(
      "model: {} parameters · {}+{} layers · width {} · {} heads · feed-forward {} · {}-norm{}",
      grouped(store.count()), config.encoder_layers, config.decoder_layers, config.dim, config.heads,
      config.feed_forward, config.norm == nn::NormPlacement::pre ? "pre" : "post", positions);
}

std::string memory_line(const nn::MemoryPlan& plan, int64_t target_tokens) {
  const std::string held = megabytes(plan.parameters + plan.gradients + plan.moments);
  if (plan.activations == 0)
    return fmt::format("memory: {} parameters, gradients, moments, and the activations, by the batch", held);
  return fmt::format("memory: {} parameters, gradients, moments + {} activations of {} target tokens = {}",
                     held, megabytes(plan.activations), grouped(target_tokens), megabytes(plan.total()));
}

std::string print_model(const TrainingOptions& options) {
  const auto [source, target] = vocabulary_sizes(options);
  nn::TransformerConfig config = model_config(options, source, target);
  config.recompute_layers = options.numerics.gradient_checkpointing;
  nn::ParameterStore store;
  const std::unique_ptr<nn::Model> model = nn::make_model(config, store);
  const data::BatchCapacity capacity = largest_batch(options);

  std::string text = fmt::format("{:<36} {:<58} {:>12}\n", "block", "weights", "parameters");
  std::string block, shapes;
  int64_t count = 0;
  for (const nn::Parameter& parameter : store.parameters()) {
    if (block_of(parameter.name) != block && count > 0) {
      text += row(block, shapes, count);
      shapes.clear();
      count = 0;
    }
    block = block_of(parameter.name);
    if (parameter.shape.rank() > 1) {
      shapes += (shapes.empty() ? "" : " ") +
                parameter.name.substr(std::min(block.size() + 1, parameter.name.rfind('.') + 1)) +
                parameter.shape.to_string();
    }
    count += parameter.shape.numel();
  }
  text += row(block, shapes, count);
  text += fmt::format("\nThe model has {} trainable parameters\n", grouped(store.count()));
  text += memory_line(nn::plan_memory(
                          config, {capacity.source_tokens, capacity.target_tokens, capacity.sentences},
                          chosen_dtype(options.compute), optimizer_options(options), planned_device(options)),
                      capacity.target_tokens) +
          "\n";
  return text;
}

}  // namespace xf::tools
