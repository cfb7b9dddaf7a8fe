#include "tools/inference/translator.h"

#include <deque>
#include <mutex>

#include "core/parallel.h"
#include "core/stop.h"
#include "core/workers.h"
#include "data/parallel_corpus.h"
#include "data/vocabularies.h"
#include "tools/inference/continued_text.h"

namespace xf::tools {

namespace {

// What is aligned together: each of its target tokens has logits.
constexpr data::BatchCapacity kAlignedAtATime{.target_tokens = 2048, .source_tokens = 4096, .sentences = 256};

}  // namespace

void for_each_batch(const std::vector<data::IndexedBatch>& batches, Arena& arena, int workers, Share share,
                    const std::function<void(const data::IndexedBatch&, Arena&)>& body) {
  const auto count = static_cast<int64_t>(batches.size());
  const int working = count >= workers ? workers : 1;
  std::deque<Arena> arenas;  // of all workers but the first
  while (static_cast<int>(arenas.size()) < working - 1) arenas.emplace_back(arena.device());
  parallel_for_dynamic(count, working, [&](int worker, int64_t i) {
    if (!share.has(i)) return;
    check_stop();
    body(batches[static_cast<size_t>(i)], worker == 0 ? arena : arenas[static_cast<size_t>(worker) - 1]);
  });
}

int workers_on(Device device) { return device == Device::cpu() ? thread_count() : 1; }

nn::SearchOptions with_specials(nn::SearchOptions search, const data::Tokenizer& target) {
  search.bos = target.bos_id();
  search.eos = target.eos_id();
  search.unk = target.unk_id();
  search.pad = target.pad_id();
  return search;
}

Translator::Translator(const nn::TranslationModel& model, Arena& arena,
                       const data::Vocabularies& vocabularies, nn::SearchOptions search,
                       int64_t sentences_per_batch, std::optional<int64_t> alignment_layer, int workers,
                       Share share)
    : model_(model),
      arena_(arena),
      vocabularies_(vocabularies),
      most_words_(static_cast<size_t>(nn::most_tokens(model.config()) - 1)),
      search_(with_specials(search, *vocabularies.target)),
      sentences_per_batch_(sentences_per_batch),
      alignment_layer_(alignment_layer),
      workers_(workers),
      share_(share) {
  nn::Search(model, arena, search_);  // refuses what makes no sense
}

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines) const {
  std::vector<SourceLine> without_prefixes;
  for (const std::string& line : lines) without_prefixes.push_back({line});
  return translate(without_prefixes);
}

// Lines as tokens, and where their translations go.
struct Translator::Lines {
  const std::vector<SourceLine>& text;
  uint64_t first_number;
  std::vector<Translation>& results;
  data::Sequences sources = {};
  std::vector<size_t> line_of = {};  // of each sequence
};

std::vector<Translation> Translator::translate(const std::vector<SourceLine>& lines, uint64_t first_number,
                                               const Found& found) const {
  std::vector<Translation> results(lines.size());
  Lines encoded{lines, first_number, results};
  const auto report = [&](size_t line) {
    if (found) found(results[line], line);
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    std::vector<int32_t> ids = vocabularies_.source->encode(lines[i].text);
    if (ids.empty()) {
      results[i].texts.emplace_back();
      report(i);
      continue;
    }
    results[i].unknown = data::is_mostly_unknown(*vocabularies_.source, lines[i].text, ids);
    if (ids.size() > most_words_) {
      ids.resize(most_words_);
      results[i].cropped = true;
    }
    encoded.sources.push_back(ids);
    encoded.line_of.push_back(i);
  }
  if (encoded.line_of.empty()) return results;
  const auto batches = data::translation_batches(encoded.sources, vocabularies_.source->eos_id(),
                                                 kSourceTokensPerBatch, sentences_per_batch_);
  std::mutex reporting;
  for_each_batch(batches, arena_, workers_, share_, [&](const data::IndexedBatch& indexed, Arena& arena) {
    translate(encoded, indexed, arena);
    const std::scoped_lock lock(reporting);
    for (const int64_t sentence : indexed.sentences) report(encoded.line_of[static_cast<size_t>(sentence)]);
  });
  return results;
}

void Translator::translate(const Lines& lines, const data::IndexedBatch& indexed, Arena& arena) const {
  nn::Given given;
  std::vector<Translation*> translations;
  for (const int64_t sentence : indexed.sentences) {
    const size_t line = lines.line_of[static_cast<size_t>(sentence)];
    given.prefixes.push_back(vocabularies_.target->encode(lines.text[line].prefix));
    given.numbers.push_back(lines.first_number + line);
    translations.push_back(&lines.results[line]);
  }
  auto hypotheses = nn::Search(model_, arena, search_).translate(indexed.batch, given);
  for (size_t b = 0; b < hypotheses.size(); ++b) {
    const SourceLine& line = lines.text[lines.line_of[static_cast<size_t>(indexed.sentences[b])]];
    for (const nn::Hypothesis& hypothesis : hypotheses[b]) {
      translations[b]->texts.push_back(
          continued_text(line.shown_prefix, hypothesis.ids, given.prefixes[b].size(), *vocabularies_.target));
    }
    translations[b]->hypotheses = std::move(hypotheses[b]);
  }
  if (alignment_layer_) add_alignments(lines.sources, indexed.sentences, translations, arena);
}

// Every hypothesis once more, as a pair of the source and itself.
void Translator::add_alignments(const data::Sequences& sources, const std::vector<int64_t>& sentences,
                                const std::vector<Translation*>& translations, Arena& arena) const {
  data::ParallelCorpus pairs;
  std::vector<nn::Alignment*> alignment_of;  // of each pair
  for (size_t b = 0; b < translations.size(); ++b) {
    translations[b]->alignments.resize(translations[b]->hypotheses.size());
    for (size_t i = 0; i < translations[b]->hypotheses.size(); ++i) {
      // </s> stands in for the last token of a hypothesis without </s>: what says a token has not
      // read it.
      const nn::Hypothesis& hypothesis = translations[b]->hypotheses[i];
      const std::span<const int32_t> ids(hypothesis.ids);
      pairs.source.push_back(sources[sentences[b]]);
      pairs.target.push_back(ids.first(ids.size() - (hypothesis.cut ? 1 : 0)));
      alignment_of.push_back(&translations[b]->alignments[i]);
    }
  }
  const auto specials = data::batch_specials(*vocabularies_.source, *vocabularies_.target);
  for (const data::IndexedBatch& indexed : data::validation_batches(pairs, specials, kAlignedAtATime)) {
    auto alignments = nn::align(model_, arena, indexed.batch, *alignment_layer_);
    for (size_t i = 0; i < alignments.size(); ++i)
      *alignment_of[static_cast<size_t>(indexed.sentences[i])] = std::move(alignments[i]);
  }
}

}  // namespace xf::tools
