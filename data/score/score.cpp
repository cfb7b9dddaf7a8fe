#include "data/score/score.h"

#include <fmt/core.h>

#include <string_view>

#include "core/error.h"

namespace xf::data {
namespace {

bool shows_confidence(const Score& score) { return score.confidence && score.confidence->mean > 0; }

std::string confidence_text(const Interval& interval, int width) {
  return fmt::format("μ = {:.{}f} ± {:.{}f}", interval.mean, width, interval.half_width, width);
}

std::string score_line(const Score& score, const std::string& signature, int width) {
  std::string line = fmt::format("{}|{} = {}", score.name, signature, format_number(score, width));
  if (!score.verbose.empty()) line += " " + score.verbose;
  return line;
}

// The rounded number as the shortest JSON number of its value: 41.00 is 41.0, 41 (width 0) is 41.0,
// 41.50 is 41.5.
std::string json_number(double value, int width) {
  std::string text = fmt::format("{:.{}f}", value, width);
  if (text.find('.') == std::string::npos) return text + ".0";
  while (text.back() == '0' && text[text.size() - 2] != '.') text.pop_back();
  return text;
}

// Names and values hold no quote, backslash or control character: they are made in this folder.
std::string json_string(std::string_view text) { return fmt::format("\"{}\"", text); }

}  // namespace

void mark_composed(Signature& signature) { signature.insert(signature.end() - 1, {"nfc", "nfc", "yes"}); }

void check_segments(size_t hypotheses, std::span<const std::vector<std::string>> references) {
  if (references.empty()) fail(ErrorKind::data, "nothing to score against: give at least one reference");
  if (hypotheses == 0) fail(ErrorKind::data, "nothing to score: the hypotheses have no line");
  for (size_t r = 0; r < references.size(); ++r) {
    if (references[r].size() == hypotheses) continue;
    fail(ErrorKind::data,
         "reference {} and the hypotheses have {} and {} lines; give files of the same lines", r + 1,
         references[r].size(), hypotheses);
  }
}

std::vector<std::string> references_of_segment(std::span<const std::vector<std::string>> references,
                                               size_t segment) {
  std::vector<std::string> lines;
  for (const std::vector<std::string>& reference : references) lines.push_back(reference[segment]);
  return lines;
}

void add_trials(Signature& signature, const std::string& name, int64_t trials, const std::string& seed) {
  const SignatureKey keys[] = {{name, name, fmt::format("{}", trials)}, {"seed", "rs", seed}};
  signature.insert(signature.begin() + 1, std::begin(keys), std::end(keys));
}

SignatureKey version_key() { return {"version", "v", "2.6.0+xformer-" XFORMER_VERSION}; }

std::string signature_text(const Signature& signature) {
  std::string text;
  for (const SignatureKey& key : signature) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : "|", key.name, key.value);
  }
  return text;
}

std::string short_signature_text(const Signature& signature) {
  std::string text;
  for (const SignatureKey& key : signature) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : "|", key.abbreviation, key.value);
  }
  return text;
}

std::string format(const Score& score, int width) {
  return score_line(score, signature_text(score.signature), width);
}

std::string format_short(const Score& score, int width) {
  return score_line(score, short_signature_text(score.signature), width);
}

std::string format_number(const Score& score, int width) {
  const std::string number = fmt::format("{:.{}f}", score.score, width);
  if (!shows_confidence(score)) return number;
  return fmt::format("{} ({})", number, confidence_text(*score.confidence, width));
}

std::string format_json(const Score& score, int width) {
  std::string json =
      fmt::format("{{\n \"name\": {},\n \"score\": {},\n \"signature\": {}", json_string(score.name),
                  json_number(score.score, width), json_string(signature_text(score.signature)));
  if (shows_confidence(score)) {
    json += fmt::format(",\n \"confidence_mean\": {},\n \"confidence_var\": {},\n \"confidence\": {}",
                        json_number(score.confidence->mean, width),
                        json_number(score.confidence->half_width, width),
                        json_string(confidence_text(*score.confidence, width)));
  }
  if (!score.verbose.empty()) json += fmt::format(",\n \"verbose_score\": {}", json_string(score.verbose));
  for (const SignatureKey& key : score.signature) {
    json += fmt::format(",\n {}: {}", json_string(key.name), json_string(key.value));
  }
  return json + "\n}";
}

std::string format_json(const std::vector<Score>& scores, int width) {
  if (scores.size() == 1) return format_json(scores.front(), width);
  std::string json;
  for (const Score& score : scores) json += (json.empty() ? "" : ",\n") + format_json(score, width);
  return "[\n" + json + "\n]";
}

}  // namespace xf::data
