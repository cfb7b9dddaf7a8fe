#include "tools/validation.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "core/stop.h"
#include "data/chrf.h"
#include "data/compat_bleu.h"
#include "tools/model_config.h"
#include "tools/teacher_forcing.h"

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
  std::optional<Losses> loss;
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
    } else if (metric == "compat-bleu") {
      result.scores.push_back({metric, compat_bleu(), true});
    } else {
      if (!loss) loss = losses();
      const double value = metric == "ce-mean-batches" ? loss->mean_of_batches : loss->mean_of_words;
      result.scores.push_back({metric, metric == "perplexity" ? std::exp(value) : value, false});
    }
  }
  if (translated) result.samples = samples(*translated);
  return result;
}

double Validator::compat_bleu() {
  const int64_t batch = options_.get_int("valid-mini-batch");
  std::vector<std::string> predicted, wanted;
  for (const ForcedLine& line :
       teacher_forced(model_, arena_, vocabularies_, set_.text.source, set_.text.target, batch)) {
    predicted.push_back(line.predicted);
    wanted.push_back(line.target);
  }
  return data::compat_bleu(predicted, wanted, batch).score;
}

Validator::Losses Validator::losses() {
  nn::LossSums total;
  double means = 0;
  const auto specials = data::batch_specials(*vocabularies_.source, *vocabularies_.target);
  const auto capacity = batch_capacity(options_, set_.corpus);
  const auto batches =
      options_.get_int("maxi-batch") > 0
          ? data::packed_batches(set_.corpus, specials, data::sorted_batches(set_.corpus, capacity))
          : data::validation_batches(set_.corpus, specials, capacity);
  for (const data::IndexedBatch& indexed : batches) {
    check_stop();
    const nn::LossSums sums = trainer_.evaluate(indexed.batch);
    total += sums;
    means += sums.plain / static_cast<double>(sums.tokens);
  }
  return {total.plain / static_cast<double>(total.tokens), means / static_cast<double>(batches.size())};
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
