#include "tools/model_translator.h"

#include "core/error.h"
#include "core/parallel.h"
#include "tools/model_config.h"

namespace xf::tools {
namespace {

Device device_and_threads(const Options& options) {
  set_thread_count(static_cast<int>(options.get_int("cpu-threads")));
  return chosen_device(options);
}

nn::SearchOptions search_options(const Options& options, const Options& training) {
  const auto deciding = [&](std::string_view name) -> const Options& {
    return options.is_set(name) ? options : training;
  };
  const int64_t beam = deciding("beam-size").get_int("beam-size");
  return {.beam_size = beam,
          .normalize = static_cast<float>(deciding("normalize").get_float("normalize")),
          .max_length_factor = static_cast<float>(options.get_float("max-length-factor")),
          .max_length = options.get_int("max-length"),
          .n_best = options.get_bool("n-best") ? beam : 1,
          .allow_unk = options.get_bool("allow-unk"),
          .word_penalty = static_cast<float>(options.get_float("word-penalty")),
          .no_repeat_ngram = options.get_int("no-repeat-ngram-size")};
}

std::vector<std::unique_ptr<LoadedModel>> other_models(const Options& options, const LoadedModel& first,
                                                       Device device) {
  std::vector<std::unique_ptr<LoadedModel>> others;
  const auto& paths = options.get_strings("model");
  for (size_t i = 1; i < paths.size(); ++i) {
    others.push_back(load_model(paths[i], device, chosen_dtype(options)));
    const LoadedModel& other = *others.back();
    if (other.vocabularies.checksum() != first.vocabularies.checksum() ||
        other.training.get_bool("lowercase") != first.training.get_bool("lowercase")) {
      fail(ErrorKind::usage,
           "{} and {}: an ensemble's models must share vocabularies and --lowercase; train them with the "
           "same --vocabs",
           first.folder, other.folder);
    }
  }
  return others;
}

std::unique_ptr<nn::Ensemble> make_ensemble(const Options& options, const LoadedModel& first,
                                            const std::vector<std::unique_ptr<LoadedModel>>& others) {
  std::vector<double> weights = options.get_floats("weights");
  if (others.empty()) {
    if (!weights.empty()) fail(ErrorKind::usage, "weights: are for several models, -m A B");
    return nullptr;
  }
  std::vector<const nn::TranslationModel*> members{&first.translation_model()};
  for (const auto& other : others) members.push_back(&other->translation_model());
  if (weights.empty()) weights.assign(members.size(), 1.0);
  return std::make_unique<nn::Ensemble>(members, weights, first.registry);
}

}  // namespace

ModelTranslator::ModelTranslator(const Options& options)
    : device(device_and_threads(options)),
      model(load_model(options.get_strings("model").front(), device, chosen_dtype(options))),
      others(other_models(options, *model, device)),
      ensemble(make_ensemble(options, *model, others)),
      translation(ensemble ? *ensemble : model->translation_model()),
      arena(device),
      search(search_options(options, model->training)),
      translator(translation, arena, model->vocabularies, search, options.get_int("mini-batch")) {}

std::string ModelTranslator::name() const {
  std::string name = model->folder;
  for (const auto& other : others) name += " + " + other->folder;
  return name;
}

}  // namespace xf::tools
