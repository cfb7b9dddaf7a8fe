#include "tools/app/translation_validator.h"
#include "data/composition.h"
#include "data/vocabularies.h"
#include "tools/config/compute_device.h"
#include "tools/config/training_options.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <sstream>

#include "data/score/chrf.h"
#include "tools/config/model_config.h"
#include "tools/explain/attention_maps.h"
#include "tools/inference/teacher_forcing.h"
#include "tools/inference/translator.h"

namespace xf::tools {

namespace {

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

}  // namespace

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
  ranks_.together([&] {
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
  ranks_.together([&] {
    for (const Translation& translation :
         translator.translate(lines, 0, [&](const Translation&, size_t) { ranks_.listen(); })) {
      texts.push_back(translation.texts.empty() ? "" : translation.texts.front());
    }
  });
  return united(ranks_, texts);
}

// As xformer-score has it, for references that were brought to normalisation form C when they were read.
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

}  // namespace xf::tools
