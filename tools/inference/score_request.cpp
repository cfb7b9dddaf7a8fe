#include "tools/inference/score_request.h"
#include "tools/config/program_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "core/error.h"
#include "core/number_text.h"
#include "data/encoding.h"
#include "data/score/batch_metric.h"
#include "data/text_file.h"
#include "data/unicode.h"
#include "tools/config/former_names.h"
#include "tools/console/message.h"
#include "tools/console/progress.h"

namespace xf::tools {
namespace {

bool is_metric(const std::string& word, const ScoringOptions& options) {
  const std::vector<std::string> known = values_of(options_of(options).at("metrics"));
  return std::ranges::find(known, word) != known.end();
}

// The word as a metric is called now: xformer-score compat-bleu REF is of an earlier version.
std::string first_metric(const ScoringOptions& options, const std::string& word) {
  const std::string now = word_of_today(options_of(options).at("metrics"), word);
  if (now != word && !options.quiet) tell("warning: {} is now called {}", word, now);
  return now;
}

// sacreBLEU strips what it reads: chrF with white space and TER's possessive 's see the end of a
// line.
Lines read_prepared(const std::string& path, const ScoringOptions& options, ScoreRequest& request) {
  const std::string encoding = data::lower_case(options.encoding);
  const bool is_utf8 = encoding == "utf-8" || encoding == "utf8" || encoding == "utf-8-sig";
  Lines lines = is_utf8 ? data::read_lines(path) : data::read_lines_in(encoding, path);
  for (std::string& line : lines) line.resize(data::strip_end(line).size());
  request.composition.add(data::compose(lines));
  return lines;
}

// The first bare argument is the metric, as in `xformer-score bleu REF`, unless -m names it; the
// rest are files.
Lines split_arguments(const ScoringOptions& options, ScoreRequest& request) {
  Lines paths = options.references;
  for (const std::string& metric : options.metrics) {
    if (std::ranges::find(request.metrics, metric) == request.metrics.end())
      request.metrics.push_back(metric);
  }
  if (request.metrics.empty() && !paths.empty()) {
    const std::string first = first_metric(options, paths.front());
    if (is_metric(first, options)) {
      request.metrics = {first};
      paths.erase(paths.begin());
    }
  }
  if (request.metrics.empty()) request.metrics = {"bleu"};
  if (paths.empty()) {
    fail(ErrorKind::usage, "xformer-score needs a reference file: xformer-score bleu REF -i HYP");
  }
  return paths;
}

void check_lines(const NamedLines& system, const Lines& reference, const std::string& path) {
  if (system.lines.size() == reference.size()) return;
  const bool from_pipe = system.name == "-";
  fail(ErrorKind::data, "{} has {}, the reference {} has {}; {}",
       from_pipe ? "the standard input" : system.name,
       counted(static_cast<int64_t>(system.lines.size()), "line"), path, reference.size(),
       from_pipe ? "translations are given with -i HYP" : "give files of the same lines");
}

// The columns of a file of --num-refs references; the last keeps further tabs.
std::vector<Lines> references_in_columns(const std::string& path, const Lines& lines, int64_t columns) {
  std::vector<Lines> references(static_cast<size_t>(columns));
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string_view rest = lines[i];
    for (int64_t column = 0; column < columns; ++column) {
      const size_t tab = column + 1 < columns ? rest.find('\t') : rest.size();
      if (tab == std::string_view::npos)
        fail(ErrorKind::data, "{}:{}: {}, not {} (--num-refs)", path, i + 1, counted(column + 1, "reference"),
             columns);
      references[static_cast<size_t>(column)].emplace_back(rest.substr(0, tab));
      rest.remove_prefix(std::min(tab + 1, rest.size()));
    }
  }
  return references;
}

// A file for each reference; or one of several columns, of which it then is the name.
Lines read_references(const ScoringOptions& options, Lines paths, ScoreRequest& request) {
  std::vector<Lines>& references = request.references;
  const int64_t columns = options.num_refs;
  if (columns > 1 && paths.size() > 1)
    fail(ErrorKind::usage, "--num-refs {}: one file holds all references, got {} files", columns,
         paths.size());
  for (const std::string& path : paths) references.push_back(read_prepared(path, options, request));
  if (columns == 1) return paths;
  references = references_in_columns(paths.front(), references.front(), columns);
  return Lines(references.size(), paths.front());
}

void read_files(const ScoringOptions& options, ScoreRequest& request) {
  const Lines paths = read_references(options, split_arguments(options, request), request);
  for (const std::string& path : options.input) {
    const auto known = std::ranges::find(request.systems, path, &NamedLines::name);
    if (known == request.systems.begin() && !request.systems.empty() && request.paired) continue;
    if (known != request.systems.end()) fail(ErrorKind::usage, "input: {} is given twice", path);
    request.systems.push_back({path, read_prepared(path, options, request)});
    for (size_t r = 0; r < paths.size(); ++r)
      check_lines(request.systems.back(), request.references[r], paths[r]);
  }
}

std::optional<ScoreTable::Trials> paired_trials(const ScoringOptions& options) {
  const bool bootstrap = options.paired_bs, randomization = options.paired_ar;
  if (bootstrap && randomization)
    fail(ErrorKind::usage, "--paired-bs and --paired-ar are two tests; choose one");
  if (bootstrap) return ScoreTable::Trials{data::PairedTest::bootstrap, options.paired_bs_n};
  if (randomization) return ScoreTable::Trials{data::PairedTest::randomization, options.paired_ar_n};
  return std::nullopt;
}

// What cannot be asked for together.
void check_request(const ScoringOptions& options, const ScoreRequest& request) {
  const bool several = request.systems.size() > 1, confidence = options.confidence;
  for (const std::string& metric : request.metrics) {
    if (is_resampled(metric)) continue;
    data::batch_metrics().at(metric);
    if (request.references.size() > 1)
      fail(ErrorKind::usage, "{} compares with one reference, got {}", metric, request.references.size());
    if (confidence || request.paired)
      fail(ErrorKind::usage, "{}: a mean over batches is not resampled; ask for another metric", metric);
  }
  if (request.paired && !several)
    fail(ErrorKind::usage, "a paired test compares systems with the first of them: -i FIRST SECOND...");
  if (confidence && several)
    fail(ErrorKind::usage,
         "--confidence is of one system; for several there are --paired-bs and --paired-ar");
  if (options.sentence_level && (several || confidence))
    fail(ErrorKind::usage, "--sentence-level is of one system, without intervals and tests");
}

// sacreBLEU's choice for a target language.
data::BleuTokenizer tokenizer_of(const ScoringOptions& options) {
  const std::string& pair = options.language_pair;
  const size_t dash = pair.find('-');
  if (!pair.empty() && (dash == 0 || dash == std::string::npos || dash + 1 == pair.size()))
    fail(ErrorKind::usage, "language-pair: '{}' is not SRC-TRG, as in en-de", pair);
  const std::string behind = pair.empty() ? "" : pair.substr(dash + 1);
  const std::string target = behind.substr(0, behind.find('-'));  // zh of en-zh-TW
  if (options.is_given("tokenize")) return data::bleu_tokenizer_from_name(options.tokenize);
  if (target == "ja" || target == "ko")
    fail(ErrorKind::usage,
         "language-pair: sacreBLEU cuts '{}' by MeCab, which this program lacks; name another tokenizer: "
         "--tokenize char",
         target);
  return data::bleu_tokenizer_from_name(target == "zh" ? "zh" : options.tokenize);
}

}  // namespace

bool is_resampled(const std::string& metric) {
  return metric == "bleu" || metric == "chrf" || metric == "ter";
}

MetricOptions metric_options(const ScoringOptions& options) {
  MetricOptions metrics;
  metrics.bleu.lowercase = options.lowercase;
  metrics.bleu.composed = true;
  metrics.bleu.tokenizer = tokenizer_of(options);
  metrics.bleu.smoothing = data::bleu_smoothing_from_name(options.smooth_method);
  if (options.smooth_value) metrics.bleu.smooth_value = *options.smooth_value;
  metrics.chrf = {.lowercase = options.lowercase || options.chrf_lowercase,
                  .composed = true,
                  .char_order = static_cast<int>(options.chrf_char_order),
                  .word_order = static_cast<int>(options.chrf_word_order),
                  .beta = static_cast<int>(options.chrf_beta),
                  .whitespace = options.chrf_whitespace,
                  .eps_smoothing = options.chrf_eps_smoothing};
  metrics.ter = {.case_sensitive = options.ter_case_sensitive,
                 .composed = true,
                 .normalized = options.ter_normalized,
                 .no_punct = options.ter_no_punct,
                 .asian_support = options.ter_asian_support};
  return metrics;
}

ScoreRequest read_score_request(const ScoringOptions& options) {
  ScoreRequest request;
  request.paired = paired_trials(options);
  request.measuring = metric_options(options);
  read_files(options, request);
  check_request(options, request);
  if (!request.paired) std::ranges::sort(request.metrics);  // sacreBLEU's order of its output
  return request;
}

ResamplingSeed resampling_seed() {
  const char* given = std::getenv("SACREBLEU_SEED");
  ResamplingSeed seed{.name = data::lower_case(given ? given : "12345")};
  if (seed.name == "none") {
    seed.value = std::random_device()();
    return seed;
  }
  if (const auto value = number_in<uint64_t>(seed.name)) return {*value, seed.name};
  fail(ErrorKind::usage, "SACREBLEU_SEED: '{}' is neither a whole number below 2^64 nor none", given);
}

}  // namespace xf::tools
