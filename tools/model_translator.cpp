#include "tools/model_translator.h"

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
          .allow_unk = options.get_bool("allow-unk")};
}

}  // namespace

ModelTranslator::ModelTranslator(const Options& options)
    : device(device_and_threads(options)),
      model(load_model(options.get_string("model"), device, chosen_dtype(options))),
      arena(device),
      search(search_options(options, model->training)),
      translator(model->translation_model(), arena, model->vocabularies, search,
                 options.get_int("mini-batch")) {}

}  // namespace xf::tools
