// xformer-score: corpus and sentence scores of translations, with sacreBLEU's flags, digits and output; the loss of a
// model; runs beside each other; the validity of molecules.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/error.h"
#include "data/bleu.h"
#include "data/chrf.h"
#include "data/compat_bleu.h"
#include "data/text_file.h"
#include "data/unicode.h"
#include "tools/main.h"
#include "tools/options.h"
#include "tools/results_table.h"
#include "tools/score_model.h"
#include "tools/score_smiles.h"

namespace xf::tools {
namespace {

using Lines = std::vector<std::string>;

struct Request {
  std::vector<std::string> metrics;  // "bleu", "chrf"
  std::vector<Lines> references;
  data::BleuOptions bleu;
  data::ChrfOptions chrf;
  int64_t compat_batch = 0;
  bool json = false, sentence_level = false;
};

bool is_metric(const std::string& word) { return word == "bleu" || word == "chrf" || word == "compat-bleu"; }

// The first bare argument is the metric, as in `xformer-score bleu REF`, unless -m names it; the rest are
// files.
std::vector<std::string> split_arguments(const Options& options, Request& request) {
  auto paths = options.get_strings("references");
  request.metrics = options.get_strings("metrics");
  if (request.metrics.empty() && !paths.empty() && is_metric(paths.front())) {
    request.metrics = {paths.front()};
    paths.erase(paths.begin());
  }
  if (request.metrics.empty()) request.metrics = {"bleu"};
  if (paths.empty()) {
    fail(ErrorKind::usage, "xformer-score needs a reference file: xformer-score bleu REF -i HYP");
  }
  return paths;
}

bool wants_json(const Options& options) {
  if (options.is_given("format")) return options.get_string("format") == "json";
  const char* format = std::getenv("SACREBLEU_FORMAT");
  return format && std::string(format) == "json";
}

Request read_request(const Options& options) {
  Request request;
  for (const std::string& path : split_arguments(options, request)) {
    request.references.push_back(data::read_lines(path));
  }
  const bool compat = std::ranges::find(request.metrics, "compat-bleu") != request.metrics.end();
  if (compat && request.references.size() > 1)
    fail(ErrorKind::usage, "compat-bleu compares with one reference, got {}", request.references.size());
  request.json = wants_json(options);
  request.sentence_level = options.get_bool("sentence-level");
  request.bleu.lowercase = request.chrf.lowercase = options.get_bool("lowercase");
  request.bleu.tokenizer = data::bleu_tokenizer_from_name(options.get_string("tokenize"));
  request.bleu.smoothing = data::bleu_smoothing_from_name(options.get_string("smooth-method"));
  if (options.is_set("smooth-value")) request.bleu.smooth_value = options.get_float("smooth-value");
  request.compat_batch = options.get_int("mini-batch");
  request.chrf.word_order = static_cast<int>(options.get_int("chrf-word-order"));
  return request;
}

Lines lower_case(Lines lines) {
  for (std::string& line : lines) line = data::lower_case(line);
  return lines;
}

data::Score compat_score(const Request& request, const Lines& hypotheses, const Lines& references,
                         int64_t batch) {
  if (!request.bleu.lowercase) return data::compat_bleu(hypotheses, references, batch);
  return data::compat_bleu(lower_case(hypotheses), lower_case(references), batch);
}

data::Score corpus_score(const Request& request, const std::string& metric, const Lines& hypotheses) {
  if (metric == "chrf") return data::corpus_chrf(hypotheses, request.references, request.chrf);
  if (metric == "compat-bleu")
    return compat_score(request, hypotheses, request.references.front(), request.compat_batch);
  return data::corpus_bleu(hypotheses, request.references, request.bleu);
}

data::Score sentence_score(const Request& request, const std::string& metric, const Lines& hypotheses,
                           size_t line) {
  Lines references;
  for (const Lines& lines : request.references) references.push_back(lines[line]);
  if (metric == "chrf") return data::sentence_chrf(hypotheses[line], references, request.chrf);
  if (metric == "compat-bleu") return compat_score(request, {hypotheses[line]}, {references.front()}, 1);
  return data::sentence_bleu(hypotheses[line], references, request.bleu);
}

std::string text_of(const data::Score& score, const Options& options) {
  const int width = static_cast<int>(options.get_int("width"));
  if (options.get_bool("score-only")) return data::format_number(score, width);
  return options.get_bool("short") ? data::format_short(score, width) : data::format(score, width);
}

void print_system(const Request& request, const Options& options, const Lines& hypotheses,
                  const std::string& prefix) {
  std::vector<data::Score> scores;
  data::check_segments(hypotheses.size(), request.references);
  const size_t rows = request.sentence_level ? hypotheses.size() : 1;
  for (size_t row = 0; row < rows; ++row) {
    for (const std::string& metric : request.metrics) {
      scores.push_back(request.sentence_level ? sentence_score(request, metric, hypotheses, row)
                                              : corpus_score(request, metric, hypotheses));
    }
  }
  if (request.json && !options.get_bool("score-only")) {
    fmt::print("{}\n", data::format_json(scores, static_cast<int>(options.get_int("width"))));
    return;
  }
  for (const data::Score& score : scores) fmt::print("{}{}\n", prefix, text_of(score, options));
}

int score(int argc, char** argv) {
  const auto options = parse_options(Program::score, argc, argv);
  if (!options) return 0;
  const Request request = read_request(*options);
  const auto& systems = options->get_strings("input");
  for (const std::string& path : systems) {
    print_system(request, *options, data::read_lines(path), systems.size() > 1 ? path + "\t" : "");
  }
  return 0;
}

int compare_runs(int argc, char** argv) {
  const auto options = parse_options(Program::score_table, argc, argv);
  if (!options) return 0;
  options->require("input");
  std::vector<ResultRow> rows;
  for (const std::string& run : options->get_strings("input")) {
    for (ResultRow& row : result_rows(run, options->get_strings("metrics"))) rows.push_back(std::move(row));
  }
  fmt::print("{}",
             options->get_string("format") == "markdown" ? results_as_markdown(rows) : results_as_text(rows));
  return 0;
}

int measure_model(int argc, char** argv) {
  const auto options = parse_options(Program::score_lm, argc, argv);
  if (options) score_model(*options);
  return 0;
}

int judge_molecules(int argc, char** argv) {
  const auto options = parse_options(Program::score_smiles, argc, argv);
  if (options) score_smiles(*options);
  return 0;
}

// `lm`, `table` and `smiles` are commands of their own; whatever else comes first is a metric or its file.
int program(int argc, char** argv) {
  const std::string command = argc < 2 ? "" : argv[1];
  if (command == "lm") return measure_model(argc - 1, argv + 1);
  if (command == "table") return compare_runs(argc - 1, argv + 1);
  if (command == "smiles") return judge_molecules(argc - 1, argv + 1);
  return score(argc, argv);
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_program(argc, argv, xf::tools::program); }
