#include "tools/inference/teacher_forcing.h"

#include "core/error.h"
#include "core/stop.h"
#include "data/batches.h"
#include "data/parallel_corpus.h"
#include "data/unicode.h"
#include "data/vocabularies.h"
#include "nn/teacher_forced.h"

namespace xf::tools {

namespace {

std::string text_of(const data::Tokenizer& vocabulary, std::span<const int32_t> ids) {
  std::vector<int32_t> words;
  for (const int32_t id : ids) {
    const bool special = id == vocabulary.unk_id() || id == vocabulary.pad_id() ||
                         id == vocabulary.bos_id() || id == vocabulary.eos_id();
    if (!special) words.push_back(id);
  }
  return without_special_words(vocabulary.decode_apart(words));
}

// most: tokens that the model reads, with </s>.
void add(data::Sequences& side, const data::Tokenizer& vocabulary, const std::string& line, size_t number,
         int64_t most) {
  const std::vector<int32_t> ids = vocabulary.encode(line);
  if (ids.size() >= static_cast<size_t>(most)) {
    fail(ErrorKind::data, "line {}: {} tokens; along a reference a line has at most {}: shorten it", number,
         ids.size(), most - 1);
  }
  side.push_back(ids);
}

data::ParallelCorpus encoded(const nn::TranslationModel& model, const data::Vocabularies& vocabularies,
                             const std::vector<std::string>& sources,
                             const std::vector<std::string>& targets) {
  XF_CHECK(sources.size() == targets.size(), "teacher forcing: {} sources, {} targets", sources.size(),
           targets.size());
  data::ParallelCorpus corpus;
  const int64_t most = nn::most_tokens(model.config());
  for (size_t i = 0; i < sources.size(); ++i) {
    add(corpus.source, *vocabularies.source, sources[i], i + 1, most);
    add(corpus.target, *vocabularies.target, targets[i], i + 1, most);
    corpus.lines.push_back(static_cast<int64_t>(i) + 1);
  }
  return corpus;
}

// What has logits at the same time: each of these target tokens, for the whole vocabulary.
constexpr data::BatchCapacity kScoredAtATime{.target_tokens = 1024, .source_tokens = 4096, .sentences = 256};

}  // namespace

std::string without_special_words(std::string_view line) {
  std::string kept;
  for (const std::string_view word : data::split_on_space(line)) {
    if (word.find('<') != std::string_view::npos) continue;
    if (!kept.empty()) kept += ' ';
    kept += word;
  }
  return kept;
}

std::vector<ForcedLine> teacher_forced(const nn::TranslationModel& model, Arena& arena,
                                       const data::Vocabularies& vocabularies,
                                       const std::vector<std::string>& sources,
                                       const std::vector<std::string>& targets, int64_t sentences_per_batch) {
  const data::Tokenizer &source = *vocabularies.source, &target = *vocabularies.target;
  const data::ParallelCorpus corpus = encoded(model, vocabularies, sources, targets);
  std::vector<ForcedLine> lines(sources.size());
  const auto capacity = data::capacity_of_sentences(corpus, sentences_per_batch);
  for (const data::IndexedBatch& indexed :
       data::validation_batches(corpus, data::batch_specials(source, target), capacity)) {
    check_stop();
    const auto predicted = nn::teacher_forced(model, arena, indexed.batch);
    for (size_t b = 0; b < predicted.size(); ++b) {
      const int64_t i = indexed.sentences[b];
      lines[static_cast<size_t>(i)] = {text_of(source, corpus.source[i]), text_of(target, corpus.target[i]),
                                       text_of(target, predicted[b])};
    }
  }
  return lines;
}

std::vector<std::vector<double>> log_probabilities(const nn::TranslationModel& model, Arena& arena,
                                                   const data::Vocabularies& vocabularies,
                                                   const std::vector<std::string>& sources,
                                                   const std::vector<std::string>& targets) {
  const data::ParallelCorpus corpus = encoded(model, vocabularies, sources, targets);
  const auto specials = data::batch_specials(*vocabularies.source, *vocabularies.target);
  std::vector<std::vector<double>> lines(sources.size());
  for (const data::IndexedBatch& indexed : data::validation_batches(corpus, specials, kScoredAtATime)) {
    check_stop();
    auto of_batch = nn::log_probabilities(model, arena, indexed.batch);
    for (size_t b = 0; b < of_batch.size(); ++b)
      lines[static_cast<size_t>(indexed.sentences[b])] = std::move(of_batch[b]);
  }
  return lines;
}

}  // namespace xf::tools
