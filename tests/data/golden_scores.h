// What sacreBLEU 2.6.0 printed: the rows of golden/scores.tsv, made by golden/make_scores.py.
#pragma once

#include <fmt/core.h>

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/score/metric.h"
#include "tests/support/folders.h"

namespace xf::tests {

using Lines = std::vector<std::string>;

inline Lines read_lines(const std::string& path) {
  std::ifstream file(path);
  Lines lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

inline Lines split(const std::string& text, const std::string& separator) {
  Lines fields;
  size_t begin = 0;
  for (size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    fields.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  fields.push_back(text.substr(begin));
  return fields;
}

// The rows of one kind, their fields.
inline std::vector<Lines> golden_rows(const std::string& kind) {
  std::vector<Lines> rows;
  for (const std::string& line : read_lines(source_folder() + "/tests/golden/scores.tsv")) {
    if (Lines fields = split(line, "\t"); fields[0] == kind) rows.push_back(fields);
  }
  return rows;
}

// "bleu lc tok=13a" -> {"bleu": "", "lc": "", "tok": "13a"}
inline std::map<std::string, std::string> score_options(const std::string& text) {
  std::map<std::string, std::string> options;
  for (const std::string& word : split(text, " ")) {
    const Lines parts = split(word, "=");
    options[parts[0]] = parts.size() > 1 ? parts[1] : "";
  }
  return options;
}

inline std::string replace_all(const std::string& text, const std::string& from, const std::string& to) {
  const Lines parts = split(text, from);
  std::string result = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) result += to + parts[i];
  return result;
}

// sacreBLEU's output with our version.
inline std::string with_our_version(const std::string& text) {
  return replace_all(text, "2.6.0", "2.6.0+xformer-" XFORMER_VERSION);
}

inline std::unique_ptr<data::Metric> golden_metric(const std::string& options_text) {
  auto options = score_options(options_text);
  const auto has = [&](const char* name) { return options.count(name) > 0; };
  const auto number = [&](const char* name, int none) { return has(name) ? std::stoi(options[name]) : none; };
  if (has("chrf")) {
    return data::make_metric(data::ChrfOptions{.lowercase = has("lc"),
                                               .char_order = number("nc", 6),
                                               .word_order = number("nw", 0),
                                               .beta = number("beta", 2),
                                               .whitespace = has("space"),
                                               .eps_smoothing = has("eps")});
  }
  if (has("ter")) {
    return data::make_metric(data::TerOptions{.case_sensitive = has("case"),
                                              .normalized = has("norm"),
                                              .no_punct = has("nopunct"),
                                              .asian_support = has("asian")});
  }
  data::BleuOptions bleu;
  bleu.lowercase = has("lc");
  bleu.effective_order = has("eff");
  if (has("tok")) bleu.tokenizer = data::bleu_tokenizer_from_name(options["tok"]);
  if (has("smooth")) bleu.smoothing = data::bleu_smoothing_from_name(options["smooth"]);
  if (has("value")) bleu.smooth_value = std::stod(options["value"]);
  return data::make_metric(bleu);
}

// Fields [first, last) of a row, the lines of a file each.
inline std::vector<Lines> golden_files(const Lines& row, size_t first, size_t last) {
  std::vector<Lines> files;
  for (size_t i = first; i < last; ++i) files.push_back(split(row[i], " ||| "));
  return files;
}

}  // namespace xf::tests
