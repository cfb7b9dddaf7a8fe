#include "tools/validation.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "core/stop.h"
#include "data/chrf.h"
#include "tools/model_config.h"

namespace xf::tools {

Validator::Validator(const Options& options, const nn::Transformer& model, nn::Trainer& trainer,
                     const Vocabularies& vocabularies, const ValidationSet& set)
    : options_(options),
      model_(model),
      trainer_(trainer),
      vocabularies_(vocabularies),
      set_(set),
      arena_(chosen_device(options)) {}

ValidationResult Validator::validate() {
  ValidationResult result;
  std::optional<std::vector<std::string>> translated;
  std::optional<double> loss;
  for (const std::string& metric : options_.get_strings("valid-metrics")) {
    if (metric == "bleu" || metric == "chrf") {
      if (!translated) translated = translations(options_.get_int("valid-beam-size"));
      if (metric == "bleu") {
        const data::BleuScore score = bleu(*translated);
        result.bleu_signature = data::signature_text(score.signature);
        result.scores.push_back({metric, score.score, true});
      } else {
        const bool lowercase = options_.get_bool("lowercase");
        result.scores.push_back(
            {metric, data::corpus_chrf(*translated, set_.text.target, {.lowercase = lowercase}).score, true});
      }
    } else {
      if (!loss) loss = mean_loss();
      result.scores.push_back({metric, metric == "perplexity" ? std::exp(*loss) : *loss, false});
    }
  }
  if (translated) result.samples = samples(*translated);
  return result;
}

double Validator::mean_loss() {
  nn::LossSums total;
  const auto specials = data::batch_specials(*vocabularies_.source, *vocabularies_.target);
  const auto capacity = data::capacity_for(options_.get_int("mini-batch-words"));
  for (const data::IndexedBatch& indexed : data::validation_batches(set_.corpus, specials, capacity)) {
    check_stop();
    const nn::LossSums sums = trainer_.evaluate(indexed.batch);
    total.plain += sums.plain;
    total.tokens += sums.tokens;
  }
  return total.plain / static_cast<double>(total.tokens);
}

std::vector<std::string> Validator::translations(int64_t beam) {
  const Translator translator(
      model_, arena_, vocabularies_,
      {.beam_size = beam, .normalize = static_cast<float>(options_.get_float("normalize"))},
      options_.get_int("valid-mini-batch"));
  std::vector<std::string> texts;
  for (const Translation& translation : translator.translate(set_.text.source)) {
    texts.push_back(translation.texts.front());
  }
  return texts;
}

data::BleuScore Validator::bleu(const std::vector<std::string>& translations) const {
  return data::corpus_bleu(translations, set_.text.target, {.lowercase = options_.get_bool("lowercase")});
}

std::vector<std::string> Validator::samples(const std::vector<std::string>& translations) const {
  std::vector<std::string> lines;
  for (const int64_t wanted : options_.get_ints("valid-print")) {
    const auto i = static_cast<size_t>(wanted);
    if (i >= translations.size()) continue;
    lines.push_back(fmt::format("  {} source      {}", i, set_.text.source[i]));
    lines.push_back(fmt::format("  {} translation {}", i, translations[i]));
    lines.push_back(fmt::format("  {} reference   {}", i, set_.text.target[i]));
  }
  return lines;
}

}  // namespace xf::tools
