#include "tools/translator.h"

#include "core/stop.h"
#include "data/batches.h"

namespace xf::tools {

nn::SearchOptions with_specials(nn::SearchOptions search, const data::Tokenizer& target) {
  search.bos = target.bos_id();
  search.eos = target.eos_id();
  search.unk = target.unk_id();
  search.pad = target.pad_id();
  return search;
}

Translator::Translator(const nn::TranslationModel& model, Arena& arena, const Vocabularies& vocabularies,
                       nn::SearchOptions search, int64_t sentences_per_batch)
    : vocabularies_(vocabularies),
      most_words_(static_cast<size_t>(nn::most_tokens(model.config()) - 1)),
      search_(model, arena, with_specials(search, *vocabularies.target)),
      sentences_per_batch_(sentences_per_batch) {}

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines) const {
  std::vector<Translation> results(lines.size());
  data::Sequences sources;
  std::vector<size_t> line_of;  // of each sequence
  for (size_t i = 0; i < lines.size(); ++i) {
    std::vector<int32_t> ids = vocabularies_.source->encode(lines[i]);
    if (ids.empty()) {
      results[i].texts.emplace_back();
      continue;
    }
    if (ids.size() > most_words_) {
      ids.resize(most_words_);
      results[i].cropped = true;
    }
    sources.push_back(ids);
    line_of.push_back(i);
  }
  if (line_of.empty()) return results;
  const auto batches = data::translation_batches(sources, vocabularies_.source->eos_id(),
                                                 kSourceTokensPerBatch, sentences_per_batch_);
  for (const data::IndexedBatch& indexed : batches) {
    check_stop();
    auto found = search_.translate(indexed.batch);
    for (size_t b = 0; b < found.size(); ++b) {
      Translation& result = results[line_of[static_cast<size_t>(indexed.sentences[b])]];
      for (const nn::Hypothesis& hypothesis : found[b])
        result.texts.push_back(vocabularies_.target->decode(hypothesis.ids));
      result.hypotheses = std::move(found[b]);
    }
  }
  return results;
}

}  // namespace xf::tools
