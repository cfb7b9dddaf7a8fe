#include "tools/app/validation.h"
#include "tools/config/training_options.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <span>
#include <sstream>

#include "core/stop.h"
#include "data/composition.h"
#include "data/score/batch_metric.h"
#include "data/score/bleu.h"
#include "data/score/chrf.h"
#include "data/vocabularies.h"
#include "nn/translation_model.h"
#include "tools/app/classification_validator.h"
#include "tools/explain/attention_maps.h"
#include "tools/inference/teacher_forcing.h"
#include "tools/inference/translator.h"
#include "tools/setup/compute_device.h"
#include "tools/setup/model_config.h"

namespace xf::tools {
namespace {

// Translations of the validation set, and their scores.
class TranslationValidator final : public Validator {
 public:
  // `model` is a TranslationModel.
  TranslationValidator(const TrainingOptions& options, const nn::Model& model, Arena& arena,
                       const data::Vocabularies& vocabularies, const ValidationSet& set, Collective& ranks);

  FinalScore score() override;

 private:
  ValidationResult measure(const std::vector<std::string>& metrics) override;
  // Best translation of each source.
  std::vector<std::string> translations(int64_t beam);
  // Along the references (tools/inference/teacher_forcing.h).
  double score_along(const data::BatchMetric& metric);
  data::BleuScore bleu(std::vector<std::string> translations) const;
  std::vector<Sample> samples(const std::vector<std::string>& translations) const;
  // Cross-attention of the first samples that are short enough to be drawn; none without --report.
  std::vector<Gallery> attention(const std::vector<Sample>& samples);

  const nn::TranslationModel& translator_;
  Arena search_arena_;
};

constexpr size_t kMostCells = 2500;  // of all drawings: some 250 KB

// Lines that one rank has each, and the others have empty; afterwards all have all.
std::vector<std::string> united(Collective& ranks, const std::vector<std::string>& lines) {
  if (ranks.size() == 1) return lines;
  std::vector<std::string> all(lines.size());
  for (const std::string& of_rank : ranks.gather(fmt::format("{}", fmt::join(lines, "\n")))) {
    std::istringstream text(of_rank);
    std::string line;
    for (size_t i = 0; i < all.size() && std::getline(text, line); ++i) all[i] += line;
  }
  return all;
}

bool is_loss(const std::string& metric) {
  return metric == "ce-mean-words" || metric == "ce-mean-batches" || metric == "perplexity";
}

bool is_of_search(const std::string& metric) { return metric == "bleu" || metric == "chrf"; }

TranslationValidator::TranslationValidator(const TrainingOptions& options, const nn::Model& model,
                                           Arena& arena, const data::Vocabularies& vocabularies,
                                           const ValidationSet& set, Collective& ranks)
    : Validator(options, model, arena, vocabularies, set, ranks),
      translator_(dynamic_cast<const nn::TranslationModel&>(model)),
      search_arena_(set_up_device(options.compute)) {
  for (const std::string& metric : options.validation.valid_metrics) {
    if (!is_of_search(metric) && !is_loss(metric)) data::batch_metrics().at(metric);
  }
}

ValidationResult TranslationValidator::measure(const std::vector<std::string>& metrics) {
  ValidationResult result;
  std::optional<std::vector<std::string>> translated;
  std::optional<CorpusLoss> loss;
  for (const std::string& metric : metrics) {
    if (is_of_search(metric)) {
      if (!translated) translated = translations(options_.validation.valid_beam_size);
      if (metric == "bleu") {
        const data::BleuScore score = bleu(*translated);
        result.bleu_signature = data::signature_text(score.signature);
        result.scores.push_back({metric, score.score, true});
      } else {
        const bool lowercase = options_.text.lowercase;
        result.scores.push_back(
            {metric, data::corpus_chrf(*translated, set_.text.target, {.lowercase = lowercase}).score, true});
      }
    } else if (!is_loss(metric)) {
      result.scores.push_back({metric, score_along(data::batch_metrics().at(metric)), true});
    } else {
      if (!loss) loss = this->loss();
      const double value = metric == "ce-mean-batches" ? loss->mean_of_batches : loss->mean();
      result.scores.push_back({metric, metric == "perplexity" ? std::exp(value) : value, false});
    }
  }
  if (translated) result.samples = samples(*translated);
  result.attention = attention(result.samples);
  return result;
}

double TranslationValidator::score_along(const data::BatchMetric& score) {
  const int64_t batch = options_.validation.valid_mini_batch;
  std::vector<std::string> predicted, wanted;
  ranks_.on_all_ranks([&] {
    for (const ForcedLine& line : teacher_forced(translator_, search_arena_, vocabularies_, set_.text.source,
                                                 set_.text.target, batch)) {
      predicted.push_back(line.predicted);
      wanted.push_back(line.target);
    }
  });
  return score(predicted, wanted, batch).score;
}

std::vector<std::string> TranslationValidator::translations(int64_t beam) {
  const Translator translator(
      translator_, search_arena_, vocabularies_,
      {.beam_size = beam, .normalize = static_cast<float>(options_.search.normalize), .scored = false},
      options_.validation.valid_mini_batch, {}, 1, ranks_.share());
  std::vector<SourceLine> lines;
  for (const std::string& source : set_.text.source) lines.push_back({source});
  std::vector<std::string> texts;
  ranks_.on_all_ranks([&] {
    for (const Translation& translation :
         translator.translate(lines, 0, [&](const Translation&, size_t) { ranks_.poll(); })) {
      texts.push_back(translation.texts.empty() ? "" : translation.texts.front());
    }
  });
  return united(ranks_, texts);
}

// As xformer-score has it, for references that were brought to normalisation form C when they were
// read.
data::BleuScore TranslationValidator::bleu(std::vector<std::string> translations) const {
  const bool lowercase = options_.text.lowercase;
  const bool composed = data::compose(translations).changes(lowercase) || set_.text.composed > 0;
  data::BleuScore score = data::corpus_bleu(translations, set_.text.target,
                                            {.lowercase = lowercase, .tokenizer = set_.fit.tokenizer});
  if (composed) data::mark_composed(score.signature);
  return score;
}

FinalScore TranslationValidator::score() {
  const int64_t beam = options_.search.beam_size;
  const std::vector<std::string> translated = translations(beam);
  const data::BleuScore score = bleu(translated);
  return {{"bleu", score.score},
          fmt::format("beam {}: {}", beam, data::format(score, 2)),
          {{"beam", beam}, {"signature", data::signature_text(score.signature)}},
          attention(samples(translated))};
}

std::vector<Sample> TranslationValidator::samples(const std::vector<std::string>& translations) const {
  std::vector<Sample> samples;
  for (const int64_t wanted : options_.validation.valid_print) {
    const auto i = static_cast<size_t>(wanted);
    if (i < translations.size())
      samples.push_back({wanted, set_.text.source[i], set_.text.target[i], translations[i]});
  }
  return samples;
}

std::vector<Gallery> TranslationValidator::attention(const std::vector<Sample>& samples) {
  std::vector<Gallery> galleries;
  size_t cells = 0;
  if (!options_.logging.report) return galleries;
  for (const Sample& sample : samples) {
    const std::vector<int32_t> source = vocabularies_.source->encode(sample.source),
                               target = vocabularies_.target->encode(sample.translation);
    const auto layers = static_cast<size_t>(model_.config().decoder_layers);
    const size_t wanted = layers * (source.size() + 1) * (target.size() + 1);
    if (source.empty() || target.empty() || cells + wanted > kMostCells) continue;
    cells += wanted;
    const auto traced = explain::trace_pair(translator_, search_arena_, vocabularies_, search_arena_.device(),
                                            source, target);
    galleries.push_back({sample.source, explain::mean_cross_attention(explain::attention_maps(traced))});
  }
  return galleries;
}

// Perplexities of the validation text.
class LanguageModelValidator final : public Validator {
 public:
  LanguageModelValidator(const TrainingOptions& options, const nn::Model& model, Arena& arena,
                         const data::Vocabularies& vocabularies, const ValidationSet& set, Collective& ranks)
      : Validator(options, model, arena, vocabularies, set, ranks) {}

  FinalScore score() override;

 private:
  ValidationResult measure(const std::vector<std::string>& metrics) override;
};

double word_perplexity(const nn::LossSums& sums, const ValidationSet& set) {
  return std::exp(sums.plain / static_cast<double>(words_and_ends(set)));
}

ValidationResult LanguageModelValidator::measure(const std::vector<std::string>& metrics) {
  ValidationResult result;
  const CorpusLoss loss = this->loss();
  for (const std::string& metric : metrics) {
    double value = loss.mean();
    if (metric == "perplexity") value = std::exp(loss.mean());
    if (metric == "word-perplexity") value = word_perplexity(loss.sums, set_);
    result.scores.push_back({metric, value, false});
  }
  return result;
}

FinalScore LanguageModelValidator::score() {
  const CorpusLoss loss = this->loss();
  const double perplexity = std::exp(loss.mean());
  const double by_word = word_perplexity(loss.sums, set_);
  return {{"perplexity", perplexity, false},
          fmt::format("perplexity {:.4f} of a token, {:.4f} of a word", perplexity, by_word),
          {{"word_perplexity", by_word}}};
}

}  // namespace

// Sums are made batch after batch, whoever measured it: the bits are those of one rank.
CorpusLoss corpus_loss(const nn::Model& model, Arena& arena, const std::vector<data::IndexedBatch>& batches,
                       Collective& ranks, const std::function<void(int64_t)>& done) {
  std::vector<double> of_batches(2 * batches.size());  // smoothed, plain; zero where another rank
                                                       // measures
  ranks.on_all_ranks([&] {
    for (auto i = static_cast<size_t>(ranks.rank()); i < batches.size();
         i += static_cast<size_t>(ranks.size())) {
      ranks.poll();
      check_stop();
      const nn::LossSums sums = nn::evaluate(model, arena, batches[i].batch);
      of_batches[2 * i] = sums.smoothed;
      of_batches[2 * i + 1] = sums.plain;
      if (done) done(std::ssize(batches[i].sentences));
    }
  });
  ranks.sum(std::span(of_batches));
  CorpusLoss loss;
  for (size_t i = 0; i < batches.size(); ++i) {
    const nn::LossSums sums{of_batches[2 * i], of_batches[2 * i + 1], batches[i].batch.target_tokens};
    loss.sums += sums;
    loss.mean_of_batches +=
        sums.plain / static_cast<double>(sums.tokens) / static_cast<double>(batches.size());
  }
  return loss;
}

CorpusLoss Validator::loss() const {
  const data::BatchSpecials specials = batch_specials(model_.config().type, vocabularies_);
  const data::BatchCapacity capacity = batch_capacity(options_, set_.corpus);
  return corpus_loss(
      model_, arena_,
      options_.batches.maxi_batch > 0
          ? data::packed_batches(set_.corpus, specials, data::sorted_batches(set_.corpus, capacity))
          : data::validation_batches(set_.corpus, specials, capacity),
      ranks_);
}

std::unique_ptr<Validator> make_validator(const TrainingOptions& options, const nn::Model& model,
                                          Arena& arena, const data::Vocabularies& vocabularies,
                                          const ValidationSet& set, Collective& ranks) {
  switch (model.config().type) {
    case nn::ModelType::translation:
      return std::make_unique<TranslationValidator>(options, model, arena, vocabularies, set, ranks);
    case nn::ModelType::language_model:
      return std::make_unique<LanguageModelValidator>(options, model, arena, vocabularies, set, ranks);
    case nn::ModelType::classification:
      return std::make_unique<ClassificationValidator>(options, model, arena, vocabularies, set, ranks);
  }
  return nullptr;
}

int64_t words_and_ends(const ValidationSet& set) {
  int64_t count = set.corpus.size();
  for (const int64_t line : set.corpus.lines) {
    std::istringstream words(set.text.target[static_cast<size_t>(line - 1)]);
    for (std::string word; words >> word;) ++count;
  }
  return count;
}

}  // namespace xf::tools
