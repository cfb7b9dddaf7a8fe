#include "tools/inference/uncut_lines.h"
#include "tools/config/scoring_options.h"

#include <fmt/core.h>

#include "data/score/fitting_bleu_tokenizer.h"
#include "data/score/ter_tokenizer.h"
#include "tools/inference/score_request.h"

namespace xf::tools {
namespace {

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

}  // namespace

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

}  // namespace xf::tools
