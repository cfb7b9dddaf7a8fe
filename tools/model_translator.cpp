#include "tools/model_translator.h"

#include <algorithm>

#include "core/error.h"
#include "core/parallel.h"
#include "data/piece_tokenizer.h"
#include "tools/model_config.h"
#include "tools/translation_options.h"

namespace xf::tools {
namespace {

Device device_and_threads(const Options& options) {
  check_translation_options(options);
  set_thread_count(static_cast<int>(options.get_int("cpu-threads")));
  return set_up_device(options);
}

std::vector<std::unique_ptr<LoadedModel>> other_models(const Options& options, const LoadedModel& first,
                                                       Device device) {
  std::vector<std::unique_ptr<LoadedModel>> others;
  const auto& paths = options.get_strings("model");
  for (size_t i = 1; i < paths.size(); ++i) {
    others.push_back(load_model(paths[i], device, options));
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

Vocabularies text_of(const Vocabularies& vocabularies, bool reads_pieces, bool writes_pieces) {
  if (!reads_pieces && !writes_pieces) return vocabularies;
  return {data::piece_tokenizer(vocabularies.source, reads_pieces, false),
          data::piece_tokenizer(vocabularies.target, reads_pieces, writes_pieces)};
}

std::optional<int64_t> alignment_layer(const Options& options, const nn::TransformerConfig& config) {
  if (!options.is_set("alignment")) return std::nullopt;
  if (!options.is_set("alignment-layer")) return nn::usual_alignment_layer(config);
  return options.get_int("alignment-layer");
}

}  // namespace

ModelTranslator::ModelTranslator(const Options& options, bool scored)
    : device(device_and_threads(options)),
      model(load_model(options.get_strings("model").front(), device, options)),
      others(other_models(options, *model, device)),
      ensemble(make_ensemble(options, *model, others)),
      translation(ensemble ? *ensemble : model->translation_model()),
      arena(device),
      search(search_options(options, model->training, scored)),
      with_prefixes(options.get_bool("force-decode")),
      reads_pieces(options.get_bool("no-spm-encode")),
      text(text_of(model->vocabularies, reads_pieces, options.get_bool("no-spm-decode"))),
      translator(translation, arena, text, search, options.get_int("mini-batch"),
                 alignment_layer(options, translation.config()), workers_on(device)) {}

SourceLine ModelTranslator::source_line(std::string_view line, const std::string& where) const {
  const auto prepared = [&](std::string_view side) {
    return reads_pieces ? std::string(side) : model->pipeline.prepare(side);
  };
  if (!with_prefixes) return {prepared(line)};
  const auto tabs = std::ranges::count(line, '\t');
  if (tabs > 1)
    fail(ErrorKind::data, "{}: --force-decode reads a source, a tab and a prefix; this line has {} tabs",
         where, tabs);
  const size_t tab = std::min(line.find('\t'), line.size());
  SourceLine result = {prepared(line.substr(0, tab)), prepared(line.substr(std::min(tab + 1, line.size())))};
  const auto tokens = static_cast<int64_t>(text.target->encode(result.prefix).size()),
             most = nn::most_tokens(translation.config());
  if (tokens > most)
    fail(ErrorKind::data, "{}: the prefix has {} tokens; a translation has at most {}", where, tokens, most);
  return result;
}

std::string ModelTranslator::name() const {
  std::string name = model->folder;
  for (const auto& other : others) name += " + " + other->folder;
  return name;
}

}  // namespace xf::tools
