#include "data/corpus_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "data/text_file.h"
#include "data/unicode.h"
#include "data/word_boundaries.h"
#include "data/word_rules.h"

namespace xf::data {
namespace {

constexpr char32_t kReplacement = 0xFFFD;  // what a program wrote for bytes that it could not read
constexpr char32_t kSpaceMark = 0x2581;    // which SentencePiece, and lists of words, take for a
                                           // space
constexpr char32_t kNoBreakSpace = 0x00A0, kNarrowNoBreakSpace = 0x202F;
// Between the syllables and the words of scripts that have signs for it.
constexpr char32_t kTibetanTsheg = 0x0F0B, kEthiopicWordspace = 0x1361;

bool parts_words(char32_t c) {
  return is_written_without_spaces(c) || c == kTibetanTsheg || c == kEthiopicWordspace;
}

int64_t words_in(std::string_view line) {
  if (is_blank(line)) return 0;
  int64_t words = 0;
  for (const std::string_view run : split_on_space(line)) {
    int64_t parts = 0;
    if (std::ranges::any_of(to_utf32(run), parts_words)) {
      parts = std::ranges::count_if(split_words(run), [](const std::string& part) {
        return std::ranges::any_of(to_utf32(part), is_letter_or_digit);
      });
    }
    words += std::max<int64_t>(parts, 1);
  }
  return words;
}

// What a reader does not see, and a vocabulary does.
void check_characters(const std::u32string& line, int64_t number, TextReport& report) {
  const auto add_if_any = [&](Finding& finding, auto holds) {
    if (std::ranges::any_of(line, holds)) finding.add(number);
  };
  add_if_any(report.no_break_spaces,
             [](char32_t c) { return c == kNoBreakSpace || c == kNarrowNoBreakSpace; });
  add_if_any(report.separators, is_separator);
  add_if_any(report.bidi_controls, is_bidi_control);
  add_if_any(report.control_characters,
             [](char32_t c) { return c != U'\0' && is_control(c) && !is_separator(c); });
  add_if_any(report.nul, [](char32_t c) { return c == U'\0'; });
  add_if_any(report.space_marks, [](char32_t c) { return c == kSpaceMark; });
  char32_t before = U' ';
  add_if_any(report.zero_width, [&](char32_t c) {
    const bool joins_nothing = is_joiner(c) && (is_space(before) || is_joiner(before));
    before = c;
    return joins_nothing || is_zero_width(c);
  });
}

// Whether one of the words is the name of <pad>, <s> or </s>. Text is none of them: the word is
// unknown.
bool has_control_token(const Tokenizer& tokenizer, std::string_view text) {
  return std::ranges::any_of(tokenizer.cut(text), [&](const std::string& word) {
    return std::ranges::any_of(std::array{tokenizer.pad_id(), tokenizer.bos_id(), tokenizer.eos_id()},
                               [&](int32_t id) { return id >= 0 && tokenizer.piece(id) == word; });
  });
}

// Returns how many they are.
int64_t check_tokens(const std::string& line, int64_t number, const CheckOptions& options,
                     TextReport& report) {
  const std::string text = options.pipeline.prepare(line);
  const std::vector<int32_t> ids = options.tokenizer->encode(text);
  report.tokens += std::ssize(ids);
  report.unknown_count->add(ids);
  report.unknown += std::ranges::count(ids, options.tokenizer->unk_id());
  if (is_mostly_unknown(*options.tokenizer, text, ids)) report.unknown_lines.add(number);
  if (has_control_token(*options.tokenizer, text)) report.control_tokens.add(number);
  return std::ssize(ids);
}

// Adds what one line shows to the report; returns its words.
int64_t check_line(const std::string& line, int64_t number, const CheckOptions& options, TextReport& report) {
  const bool valid = !first_invalid_utf8(line);
  if (!valid) report.invalid_utf8.add(number);
  const std::u32string code_points = to_utf32(line);
  check_characters(code_points, number, report);
  if (valid && code_points.find(kReplacement) != code_points.npos) report.replacements.add(number);
  const int64_t words = words_in(line), characters = std::ssize(code_points);
  if (words == 0) report.empty.add(number);
  const int64_t length = options.tokenizer && valid ? check_tokens(line, number, options, report) : words;
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
  return lines > empty.count + over_long.count && invalid_utf8.count + nul.count == 0 && !mostly_unknown();
}

bool CorpusReport::clean() const {
  return taken > 0 && source.lines == target.lines && half_empty.count == 0 &&
         columns.count + source.invalid_utf8.count + target.invalid_utf8.count == 0 &&
         source.nul.count + target.nul.count == 0 && !source.mostly_unknown() && !target.mostly_unknown();
}

TextReport check_text(const std::string& path, const CheckOptions& options) {
  TextReport report = start_report(path, options);
  LineReader reader(path);
  for (std::string line; reader.next(line);) check_line(line, reader.line_number(), options, report);
  return report;
}

namespace {

// Adds what a pair of lines shows to the report.
void check_pair(const std::string& source, const std::string& target, int64_t number,
                const CheckOptions& source_options, const CheckOptions& target_options,
                CorpusReport& report) {
  const auto over_long = [&] { return report.source.over_long.count + report.target.over_long.count; };
  const int64_t over_long_before = over_long();
  const int64_t source_words = check_line(source, number, source_options, report.source),
                target_words = check_line(target, number, target_options, report.target);
  const auto [fewer, more] = std::minmax(source_words, target_words);
  if (fewer > 0 && over_long() == over_long_before) ++report.taken;
  if (fewer == 0 && more > 0) report.half_empty.add(number);
  if (fewer > 0 && more > CorpusReport::kRatio * fewer && more > fewer + CorpusReport::kRatio)
    report.unbalanced.add(number);
}

}  // namespace

CorpusReport check_corpus(const std::string& source_path, const std::string& target_path,
                          const CheckOptions& source_options, const CheckOptions& target_options) {
  CorpusReport report;
  report.source = start_report(source_path, source_options);
  report.target = start_report(target_path, target_options);
  LineReader source_reader(source_path), target_reader(target_path);
  std::string source, target;
  while (true) {
    const bool has_source = source_reader.next(source), has_target = target_reader.next(target);
    if (has_source && has_target) {
      check_pair(source, target, source_reader.line_number(), source_options, target_options, report);
    } else if (has_source) {
      check_line(source, source_reader.line_number(), source_options, report.source);
    } else if (has_target) {
      check_line(target, target_reader.line_number(), target_options, report.target);
    } else {
      return report;
    }
  }
}

CorpusReport check_columns(const std::string& path, const CheckOptions& source_options,
                           const CheckOptions& target_options) {
  CorpusReport report;
  report.source = start_report(path + ", first column", source_options);
  report.target = start_report(path + ", second column", target_options);
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    const size_t tab = std::min(line.find('\t'), line.size());
    if (std::ranges::count(line, '\t') != 1) report.columns.add(reader.line_number());
    check_pair(line.substr(0, tab), line.substr(std::min(tab + 1, line.size())), reader.line_number(),
               source_options, target_options, report);
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
  text += describe("NUL bytes, as in UTF-16", report.nul);
  text += describe("replacements (U+FFFD)", report.replacements);
  text += describe("mostly unknown lines", report.unknown_lines);
  text += describe("control tokens as words", report.control_tokens);
  text += describe("no-break spaces", report.no_break_spaces);
  text += describe("tabs, line separators", report.separators);
  text += describe("zero-width characters", report.zero_width);
  text += describe("controls of direction", report.bidi_controls);
  text += describe("control characters", report.control_characters);
  text += describe("marks of spaces (U+2581)", report.space_marks);
  return text;
}

std::string describe(const CorpusReport& report) {
  std::string text = describe(report.source) + describe(report.target) + "pairs\n";
  if (report.source.lines != report.target.lines) {
    text +=
        fmt::format("  the numbers of lines differ: {} and {}\n", report.source.lines, report.target.lines);
  }
  text += describe("not two columns", report.columns);
  text += describe("text on one side only", report.half_empty);
  text += describe("very different lengths", report.unbalanced);
  return text + verdict(report.clean(), report.taken == 0 ? "pair" : nullptr);
}

}  // namespace xf::data
