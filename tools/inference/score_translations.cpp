#include "tools/inference/score_translations.h"
#include "tools/config/program_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "data/score/batch_metric.h"
#include "data/score/fitting_bleu_tokenizer.h"
#include "data/score/resampling.h"
#include "data/score/ter_tokenizer.h"
#include "data/unicode.h"
#include "tools/console/message.h"
#include "tools/console/progress.h"
#include "tools/inference/score_request.h"

namespace xf::tools {
namespace {

// Lines that a metric sees as one word each say nothing about how good a translation is.

constexpr const char* kUncut = "most lines of the reference are one token, or nearly";

std::string of_bleu(const std::vector<std::string>& references, data::BleuTokenizer tokenizer) {
  const auto tokenize = [&](std::string_view line) { return data::bleu_tokenize(line, tokenizer); };
  if (!data::leaves_most_lines_uncut(references, tokenize)) return "";
  const data::BleuTokenizer fitting = data::fitting_bleu_tokenizer(references).tokenizer;
  const bool is_zh = fitting == data::BleuTokenizer::chinese && tokenizer != fitting;
  return fmt::format("bleu: with -tok {} {}; give -tok {}", data::bleu_tokenizer_name(tokenizer), kUncut,
                     is_zh ? "zh" : "char");
}

std::string of_ter(const std::vector<std::string>& references, const data::TerOptions& options) {
  const auto tokenize = [&](std::string_view line) { return data::ter_tokenize(line, options); };
  if (!data::leaves_most_lines_uncut(references, tokenize)) return "";
  data::TerOptions asian = options;
  asian.normalized = asian.asian_support = true;
  const auto by_ideographs = [&](std::string_view line) { return data::ter_tokenize(line, asian); };
  const bool helps = !data::leaves_most_lines_uncut(references, by_ideographs);
  return fmt::format("ter: {}; give {}", kUncut, helps ? "--ter-normalized --ter-asian-support" : "chrf");
}

// What a user of xformer-score should read where the metric leaves most lines of the reference
// uncut, and what to give instead; "" where it cuts them. `options`: of xformer-score.
std::string uncut_warning(const std::string& metric, const std::vector<std::string>& references,
                          const ScoringOptions& options) {
  const MetricOptions measuring = metric_options(options);
  if (metric == "bleu") return of_bleu(references, measuring.bleu.tokenizer);
  if (metric == "ter") return of_ter(references, measuring.ter);
  const auto by_spaces = [](std::string_view line) { return std::string(line); };
  if (metric != "chrf" && data::leaves_most_lines_uncut(references, by_spaces))
    return fmt::format("{}: {}; give chrf", metric, kUncut);
  return "";
}

using Request = ScoreRequest;

std::unique_ptr<data::Metric> metric_of(const MetricOptions& measuring, const std::string& name) {
  if (name == "bleu") return data::make_metric(measuring.bleu);
  return name == "chrf" ? data::make_metric(measuring.chrf) : data::make_metric(measuring.ter);
}

data::Score batch_score(const data::BatchMetric& metric, const ScoringOptions& options,
                        const Lines& hypotheses, const Lines& references, int64_t batch) {
  Lines texts[] = {hypotheses, references};
  for (Lines& lines : texts) {
    if (!options.lowercase) break;
    for (std::string& line : lines) line = data::fold_case(line);
  }
  return metric(texts[0], texts[1], batch);
}

data::Score sentence_score(const Request& request, const ScoringOptions& options, const std::string& name,
                           size_t line) {
  const std::string& hypothesis = request.systems.front().lines[line];
  const Lines references = data::references_of_segment(request.references, line);
  if (name == "chrf") return data::sentence_chrf(hypothesis, references, request.measuring.chrf);
  if (name == "ter") return data::sentence_ter(hypothesis, references, request.measuring.ter);
  if (!is_resampled(name))
    return batch_score(data::batch_metrics().at(name), options, {hypothesis}, references, 1);
  return data::sentence_bleu(hypothesis, references, request.measuring.bleu);
}

// Of lines in normalisation form C.
data::Score composed_score(const std::string& name, const Lines& hypotheses,
                           const std::vector<Lines>& references, const ScoringOptions& options) {
  if (!is_resampled(name)) {
    return batch_score(data::batch_metrics().at(name), options, hypotheses, references.front(),
                       options.mini_batch);
  }
  const auto metric = metric_of(metric_options(options), name);
  const auto segments = data::segment_statistics(*metric, hypotheses, references);
  data::Score score = data::corpus_score(*metric, segments, references.size());
  if (!options.confidence) return score;
  const ResamplingSeed seed = resampling_seed();
  const int64_t resamples = options.confidence_n;
  score.confidence = data::confidence_interval(*metric, segments, resamples, seed.value);
  data::add_trials(score.signature, "bs", resamples, seed.name);
  return score;
}

// The arguments of corpus_score(), brought to normalisation form C.
struct ComposedText {
  ComposedText(Lines of_system, std::vector<Lines> of_references)
      : hypotheses(std::move(of_system)), references(std::move(of_references)) {
    composition = data::compose(hypotheses);
    for (Lines& lines : references) composition.add(data::compose(lines));
  }
  Lines hypotheses;
  std::vector<Lines> references;
  data::Composition composition;
};

bool ignores_case(const std::string& metric, const MetricOptions& measuring) {
  if (metric == "ter") return !measuring.ter.case_sensitive;
  return metric == "chrf" ? measuring.chrf.lowercase : measuring.bleu.lowercase;
}

data::Score marked(data::Score score, const data::Composition& composition, const std::string& metric,
                   const MetricOptions& measuring) {
  if (composition.changes(ignores_case(metric, measuring))) data::mark_composed(score.signature);
  return score;
}

data::Score marked(data::Score score, const Request& request, const std::string& metric) {
  return marked(std::move(score), request.composition, metric, request.measuring);
}

std::vector<data::Score> scores_of_system(const Request& request, const ScoringOptions& options) {
  std::vector<data::Score> scores;
  const Lines& hypotheses = request.systems.front().lines;
  if (!options.sentence_level) {
    for (const std::string& name : request.metrics)
      scores.push_back(marked(composed_score(name, hypotheses, request.references, options), request, name));
    return scores;
  }
  for (size_t line = 0; line < hypotheses.size(); ++line) {
    for (const std::string& name : request.metrics)
      scores.push_back(marked(sentence_score(request, options, name, line), request, name));
  }
  return scores;
}

bool wants_json(const ScoringOptions& options) {
  if (options.is_given("format")) return options.format == "json";
  const char* format = std::getenv("SACREBLEU_FORMAT");
  return format && std::string(format) == "json";
}

void print_system(const Request& request, const ScoringOptions& options) {
  const auto scores = scores_of_system(request, options);
  const int width = static_cast<int>(options.width);
  if (wants_json(options) && !options.score_only) {
    print_page(data::format_json(scores, width) + "\n");
    return;
  }
  Lines lines;
  size_t widest = 0;  // what stands before the '=', which is aligned
  for (const data::Score& score : scores) {
    lines.push_back(text_of(score, options));
    if (const size_t sign = lines.back().find('='); sign != std::string::npos)
      widest = std::max(widest, sign);
  }
  for (const std::string& line : lines) {
    const size_t sign = line.find('=');
    fmt::print("{}{}\n", std::string(sign == std::string::npos ? 0 : widest - sign, ' '), line);
  }
}

// The scores alone, without a test.
ScoreTable::Column scores_of_systems(const Request& request, const ScoringOptions& options,
                                     const std::string& name) {
  ScoreTable::Column column;
  for (const NamedLines& system : request.systems) {
    const data::Score score =
        marked(composed_score(name, system.lines, request.references, options), request, name);
    column.metric = score.name;
    column.signature = signature_of(score, options);
    column.results.push_back({.score = score.score, .confidence = {}, .p_value = {}});
  }
  return column;
}

ScoreTable::Column tested_systems(const Request& request, const ScoringOptions& options,
                                  const std::string& name, const ResamplingSeed& seed) {
  const auto metric = metric_of(request.measuring, name);
  std::vector<data::SegmentStatistics> systems;
  for (const NamedLines& system : request.systems)
    systems.push_back(data::segment_statistics(*metric, system.lines, request.references));
  const auto [test, trials] = *request.paired;
  data::Score score =
      marked(data::corpus_score(*metric, systems.front(), request.references.size()), request, name);
  data::add_trials(score.signature, test == data::PairedTest::bootstrap ? "bs" : "ar", trials, seed.name);
  return {score.name, signature_of(score, options),
          data::paired_test(*metric, systems, test, trials, seed.value)};
}

void print_systems(const Request& request, const ScoringOptions& options) {
  ScoreTable table{.systems = {}, .columns = {}, .trials = request.paired};
  table.width = static_cast<int>(options.width);
  for (const NamedLines& system : request.systems) table.systems.push_back(system.name);
  if (request.paired) table.systems.front() = "Baseline: " + table.systems.front();
  const ResamplingSeed seed = request.paired ? resampling_seed() : ResamplingSeed{};
  for (const std::string& name : request.metrics) {
    table.columns.push_back(request.paired ? tested_systems(request, options, name, seed)
                                           : scores_of_systems(request, options, name));
  }
  print_page(wants_json(options) ? table_as_json(table) : table_as_text(table));
}

// sacreBLEU's sign of text that is cut into tokens: so many lines of a system end in a full stop
// apart.
void warn_of_tokens(const Request& request, const ScoringOptions& options) {
  constexpr int64_t kMany = 100;
  const bool of_corpus =
      !options.sentence_level && std::ranges::find(request.metrics, "bleu") != request.metrics.end();
  if (!of_corpus || options.force || options.quiet) return;
  for (const auto& [name, lines] : request.systems) {
    const int64_t apart =
        std::ranges::count_if(lines, [](const std::string& line) { return line.ends_with(" ."); });
    if (apart >= kMany)
      tell(
          "warning: {}: {} end in ' .', as text does that is cut into tokens; "
          "BLEU is for plain text (--force: it is)",
          name == "-" ? "the standard input" : name, counted(apart, "line"));
  }
}

}  // namespace

std::string signature_of(const data::Score& score, const ScoringOptions& options) {
  return options.short_ ? data::short_signature_text(score.signature) : data::signature_text(score.signature);
}

std::string text_of(const data::Score& score, const ScoringOptions& options) {
  const int width = static_cast<int>(options.width);
  if (options.score_only) return data::format_number(score, width);
  return options.short_ ? data::format_short(score, width) : data::format(score, width);
}

data::Score corpus_score(const std::string& name, const Lines& hypotheses,
                         const std::vector<Lines>& references, const ScoringOptions& options) {
  const ComposedText text(hypotheses, references);
  return marked(composed_score(name, text.hypotheses, text.references, options), text.composition, name,
                metric_options(options));
}

void score_translations(const ScoringOptions& options) {
  const Request request = read_score_request(options);
  warn_of_tokens(request, options);
  for (const std::string& metric : request.metrics) {
    const std::string warning = uncut_warning(metric, request.references.front(), options);
    if (!warning.empty()) tell("warning: {}", warning);
  }
  if (request.systems.size() == 1) return print_system(request, options);
  print_systems(request, options);
}

}  // namespace xf::tools
