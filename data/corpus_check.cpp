#include "data/corpus_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "data/text_file.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

constexpr char32_t kNoBreakSpace = 0x00A0, kNarrowNoBreakSpace = 0x202F;

// Adds what one line shows to the report; returns its words.
int64_t check_line(const std::string& line, int64_t number, const CheckOptions& options, TextReport& report) {
  if (first_invalid_utf8(line)) report.invalid_utf8.add(number);
  const std::u32string code_points = to_utf32(line);
  const auto any = [&](auto holds) { return std::any_of(code_points.begin(), code_points.end(), holds); };
  if (any([](char32_t c) { return c == kNoBreakSpace || c == kNarrowNoBreakSpace; })) {
    report.no_break_spaces.add(number);
  }
  if (any(is_control)) report.control_characters.add(number);
  const auto characters = static_cast<int64_t>(code_points.size());
  const auto words = static_cast<int64_t>(split_on_space(line).size());
  if (words == 0) report.empty.add(number);
  int64_t length = words;
  if (options.tokenizer && !first_invalid_utf8(line)) {
    const std::vector<int32_t> ids = options.tokenizer->encode(options.pipeline.prepare(line));
    length = static_cast<int64_t>(ids.size());
    report.tokens += length;
    report.unknown_count->add(ids);
    report.unknown += std::count(ids.begin(), ids.end(), options.tokenizer->unk_id());
  }
  if (options.max_length > 0 && length > options.max_length) report.over_long.add(number);
  ++report.lines;
  report.words += words;
  report.characters += characters;
  report.longest_line = std::max(report.longest_line, characters);
  return words;
}

TextReport start_report(const std::string& path, const CheckOptions& options) {
  TextReport report;
  report.path = path;
  report.tokenized = options.tokenizer != nullptr;
  if (report.tokenized) report.unknown_count.emplace(*options.tokenizer);
  report.max_length = options.max_length;
  return report;
}

std::string describe(const char* what, const Finding& finding) {
  if (finding.count == 0) return "";
  return fmt::format("  {:<26}{:>10}  line {}{}\n", what, finding.count, fmt::join(finding.lines, ", "),
                     finding.count > static_cast<int64_t>(finding.lines.size()) ? ", ..." : "");
}

}  // namespace

void Finding::add(int64_t line) {
  if (++count <= kLinesShown) lines.push_back(line);
}

bool TextReport::mostly_unknown() const { return unknown_count && unknown_count->share() > kMostUnknown; }

bool TextReport::clean() const {
  return lines > empty.count + over_long.count && invalid_utf8.count == 0 && !mostly_unknown();
}

bool CorpusReport::clean() const {
  return taken > 0 && source.lines == target.lines && half_empty.count == 0 &&
         source.invalid_utf8.count + target.invalid_utf8.count == 0 && !source.mostly_unknown() &&
         !target.mostly_unknown();
}

TextReport check_text(const std::string& path, const CheckOptions& options) {
  TextReport report = start_report(path, options);
  LineReader reader(path);
  for (std::string line; reader.next(line);) check_line(line, reader.line_number(), options, report);
  return report;
}

CorpusReport check_corpus(const std::string& source_path, const std::string& target_path,
                          const CheckOptions& source_options, const CheckOptions& target_options) {
  CorpusReport report;
  report.source = start_report(source_path, source_options);
  report.target = start_report(target_path, target_options);
  LineReader source_reader(source_path), target_reader(target_path);
  std::string source, target;
  while (true) {
    const bool has_source = source_reader.next(source), has_target = target_reader.next(target);
    if (!has_source && !has_target) break;
    int64_t source_words = 0, target_words = 0;
    const int64_t over_long = report.source.over_long.count + report.target.over_long.count;
    const int64_t number = has_source ? source_reader.line_number() : target_reader.line_number();
    if (has_source) source_words = check_line(source, number, source_options, report.source);
    if (has_target) target_words = check_line(target, number, target_options, report.target);
    if (!has_source || !has_target) continue;
    const bool fits = report.source.over_long.count + report.target.over_long.count == over_long;
    if (source_words > 0 && target_words > 0 && fits) ++report.taken;
    const auto [fewer, more] = std::minmax(source_words, target_words);
    if (fewer == 0 && more > 0) report.half_empty.add(number);
    if (fewer > 0 && more > CorpusReport::kRatio * fewer && more > fewer + CorpusReport::kRatio) {
      report.unbalanced.add(number);
    }
  }
  return report;
}

namespace {

// `nothing`: what there is none of to train on, where that is so.
std::string verdict(bool clean, const char* nothing) {
  if (clean) return "  ready for training\n";
  return (nothing ? fmt::format("  no {} to train on\n", nothing) : "") + "  not ready for training\n";
}

}  // namespace

std::string verdict(const TextReport& report) {
  const bool nothing = report.lines == report.empty.count + report.over_long.count;
  return verdict(report.clean(), nothing ? "line" : nullptr);
}

std::string describe(const TextReport& report) {
  std::string text =
      fmt::format("{}\n  {:<26}{:>10}\n  {:<26}{:>10}\n  {:<26}{:>10}\n  {:<26}{:>10} characters\n",
                  report.path, "lines", report.lines, "words", report.words, "characters", report.characters,
                  "longest line", report.longest_line);
  if (report.tokenized) {
    const double rate =
        report.tokens == 0 ? 0.0 : static_cast<double>(report.unknown) / static_cast<double>(report.tokens);
    text += fmt::format("  {:<26}{:>10}\n  {:<26}{:>10}  {:.3f} %\n", "tokens", report.tokens,
                        "unknown tokens", report.unknown, 100 * rate);
    if (report.mostly_unknown()) text += "  over half of it is unknown to the vocabulary\n";
  }
  text += describe("empty lines", report.empty);
  const std::string over =
      fmt::format("over {} {}", report.max_length, report.tokenized ? "tokens" : "words");
  text += describe(over.c_str(), report.over_long);
  text += describe("invalid UTF-8", report.invalid_utf8);
  text += describe("no-break spaces", report.no_break_spaces);
  text += describe("control characters", report.control_characters);
  return text;
}

std::string describe(const CorpusReport& report) {
  std::string text = describe(report.source) + describe(report.target) + "pairs\n";
  if (report.source.lines != report.target.lines) {
    text +=
        fmt::format("  the numbers of lines differ: {} and {}\n", report.source.lines, report.target.lines);
  }
  text += describe("text on one side only", report.half_empty);
  text += describe("very different lengths", report.unbalanced);
  return text + verdict(report.clean(), report.taken == 0 ? "pair" : nullptr);
}

}  // namespace xf::data
