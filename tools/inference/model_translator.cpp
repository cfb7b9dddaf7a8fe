#include "tools/inference/model_translator.h"
#include "tools/config/program_options.h"
#include "tools/setup/compute_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/parallel.h"
#include "data/piece_tokenizer.h"
#include "data/unicode.h"
#include "data/vocabularies.h"
#include "tools/inference/translation_options.h"
#include "tools/setup/model_config.h"

namespace xf::tools {
namespace {

Device device_and_threads(const TranslationOptions& options) {
  check_translation_options(options);
  set_thread_count(static_cast<int>(options.compute.cpu_threads));
  return set_up_device(options.compute);
}

std::vector<std::unique_ptr<LoadedModel>> other_models(const TranslationOptions& options,
                                                       const LoadedModel& first, Device device) {
  std::vector<std::unique_ptr<LoadedModel>> others;
  const auto& paths = options.model;
  for (size_t i = 1; i < paths.size(); ++i) {
    others.push_back(load_model(paths[i], device, options.compute));
    const LoadedModel& other = *others.back();
    if (other.vocabularies.checksum() != first.vocabularies.checksum() ||
        other.settings.text.lowercase != first.settings.text.lowercase) {
      fail(ErrorKind::usage,
           "{} and {}: an ensemble's models must share vocabularies and --lowercase; "
           "train them with the same --vocabs",
           first.folder, other.folder);
    }
  }
  return others;
}

std::unique_ptr<nn::Ensemble> make_ensemble(const TranslationOptions& options, const LoadedModel& first,
                                            const std::vector<std::unique_ptr<LoadedModel>>& others) {
  std::vector<double> weights = options.weights;
  if (others.empty()) {
    if (!weights.empty()) fail(ErrorKind::usage, "weights: are for several models, -m A B");
    return nullptr;
  }
  std::vector<const nn::TranslationModel*> members{&first.translation_model()};
  for (const auto& other : others) members.push_back(&other->translation_model());
  if (weights.empty()) weights.assign(members.size(), 1.0);
  return std::make_unique<nn::Ensemble>(members, weights, first.store);
}

data::Vocabularies text_of(const data::Vocabularies& vocabularies, bool reads_pieces, bool writes_pieces) {
  if (!reads_pieces && !writes_pieces) return vocabularies;
  return {data::piece_tokenizer(vocabularies.source, reads_pieces, false),
          data::piece_tokenizer(vocabularies.target, reads_pieces, writes_pieces)};
}

std::optional<int64_t> alignment_layer(const TranslationOptions& options,
                                       const nn::TransformerConfig& config) {
  if (options.alignment.empty()) return std::nullopt;
  return options.alignment_layer.value_or(nn::usual_alignment_layer(config));
}

}  // namespace

ModelTranslator::ModelTranslator(const TranslationOptions& options, bool scored)
    : device(device_and_threads(options)),
      model(load_model(options.model.front(), device, options.compute)),
      others(other_models(options, *model, device)),
      ensemble(make_ensemble(options, *model, others)),
      translation(ensemble ? *ensemble : model->translation_model()),
      arena(device),
      search(search_options(options, model->settings.search, scored)),
      with_prefixes(options.force_decode),
      reads_pieces(options.no_spm_encode),
      writes_pieces(options.no_spm_decode),
      text(text_of(model->vocabularies, reads_pieces, writes_pieces)),
      translator(translation, arena, text, search, options.mini_batch,
                 alignment_layer(options, translation.config()), workers_on(device)) {}

std::string ModelTranslator::prepared(std::string_view line) const {
  if (!reads_pieces) return model->pipeline.prepare(line);
  return data::is_blank(line) ? "" : std::string(line);
}

SourceLine ModelTranslator::source_line(std::string_view line, const std::string& where) const {
  if (!with_prefixes) return {prepared(line)};
  const auto tabs = std::ranges::count(line, '\t');
  if (tabs > 1)
    fail(ErrorKind::data, "{}: --force-decode reads a source, a tab and a prefix; this line has {} tabs",
         where, tabs);
  const size_t tab = std::min(line.find('\t'), line.size());
  SourceLine result = {prepared(line.substr(0, tab))};
  add_prefix(line.substr(std::min(tab + 1, line.size())), where, result);
  return result;
}

void ModelTranslator::add_prefix(std::string_view prefix, const std::string& where, SourceLine& line) const {
  line.prefix = prepared(prefix);
  const std::vector<int32_t> ids = text.target->encode(line.prefix);
  const int64_t most = nn::most_tokens(translation.config());
  if (std::ssize(ids) > most)
    fail(ErrorKind::data, "{}: the prefix has {} tokens; a translation has at most {}", where, ids.size(),
         most);
  if (ids.empty()) return;
  if (writes_pieces) {
    line.shown_prefix = fmt::format("{}", fmt::join(text.target->cut(line.prefix), " "));
  } else if (!reads_pieces) {
    line.shown_prefix = prefix;
  } else if (const auto unknown = std::ranges::find(ids, text.target->unk_id());
             unknown != ids.end() && !search.allow_unk) {
    fail(ErrorKind::data,
         "{}: the vocabulary has no piece '{}', which is in the prefix; "
         "leave it out, or give text without --no-spm-encode",
         where, text.target->cut(line.prefix)[static_cast<size_t>(unknown - ids.begin())]);
  }
}

std::string ModelTranslator::name() const {
  std::string name = model->folder;
  for (const auto& other : others) name += " + " + other->folder;
  return name;
}

}  // namespace xf::tools
