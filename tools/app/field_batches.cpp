#include "tools/app/field_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "data/field.h"
#include "data/text_file.h"
#include "tools/config/text_options.h"

namespace xf::tools {

namespace {

constexpr size_t kWordsShown = 16;  // of the vocabulary

std::optional<std::string> token(const Options& options, const char* name) {
  const std::string& given = options.get_string(name);
  return given == "none" ? std::nullopt : std::optional(given);
}

data::FieldOptions field_options(const Options& options) {
  const auto& stop_words = options.get_strings("stop-words");
  data::FieldOptions field{.sequential = options.get_bool("sequential"),
                           .use_vocab = options.get_bool("use-vocab"),
                           .init_token = token(options, "init-token"),
                           .eos_token = token(options, "eos-token"),
                           .lower = options.get_bool("lowercase"),
                           .include_lengths = options.get_bool("include-lengths"),
                           .batch_first = options.get_bool("batch-first"),
                           .pad_token = token(options, "pad-token"),
                           .unk_token = token(options, "unk-token"),
                           .pad_first = options.get_bool("pad-first"),
                           .truncate_first = options.get_bool("truncate-first"),
                           .stop_words = {stop_words.begin(), stop_words.end()}};
  if (options.is_set("fix-length")) field.fix_length = options.get_int("fix-length");
  if (options.get_string("tokenizer") != "whitespace") {
    field.tokenize = [rules = word_rules(options, options.get_strings("input"))](std::string_view text) {
      return rules->split(text);
    };
  }
  return field;
}

std::vector<data::Tokens> read_column(const data::Field& field, const std::string& path) {
  std::vector<data::Tokens> column;
  for (const std::string& line : data::read_lines(path))
    column.push_back(field.preprocess(data::TextPipeline{}.prepare(line)));
  return column;
}

std::string vocabulary_line(const data::Tokens& words) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(words.size(), kWordsShown));
  return fmt::format("vocabulary of {}: {}{}\n", words.size(),
                     fmt::join(words.begin(), words.begin() + shown, " "),
                     words.size() > kWordsShown ? " ..." : "");
}

// Of code points, so that columns stand under each other.
size_t width(std::string_view cell) {
  return static_cast<size_t>(std::ranges::count_if(cell, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string table(const std::vector<std::string>& cells, size_t columns) {
  std::vector<size_t> widths(columns);
  for (size_t i = 0; i < cells.size(); ++i)
    widths[i % columns] = std::max(widths[i % columns], width(cells[i]));
  std::string text;
  for (size_t i = 0; i < cells.size(); ++i) {
    const size_t column = i % columns;
    text += "  " + cells[i];
    if (column + 1 < columns) text += std::string(widths[column] - width(cells[i]), ' ');
    if (column + 1 == columns) text += '\n';
  }
  return text;
}

std::string batch_text(const data::Field& field, const std::string& path, const data::Field::Batch& batch,
                       bool ids) {
  std::vector<std::string> cells;
  for (const int32_t id : batch.ids)
    cells.push_back(ids ? std::to_string(id) : field.vocabulary()[static_cast<size_t>(id)]);
  std::string text = fmt::format("{} [{}, {}]\n", path, batch.rows, batch.columns) +
                     table(cells, static_cast<size_t>(batch.columns));
  if (!batch.lengths.empty()) text += fmt::format("  lengths {}\n", fmt::join(batch.lengths, " "));
  return text;
}

}  // namespace

std::string field_batches(const Options& options) {
  options.require("input");
  data::Field field(field_options(options));
  std::vector<std::vector<data::Tokens>> columns;
  for (const std::string& path : options.get_strings("input")) columns.push_back(read_column(field, path));
  const bool numbers = !options.get_bool("use-vocab");
  std::string text;
  if (!numbers) {
    std::vector<const std::vector<data::Tokens>*> views;
    for (const auto& column : columns) views.push_back(&column);
    field.build_vocab(views, options.get_int("min-freq"), static_cast<int32_t>(options.get_int("max-size")));
    text = vocabulary_line(field.vocabulary());
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i].resize(std::min(columns[i].size(), static_cast<size_t>(options.get_int("num-examples"))));
    text += batch_text(field, options.get_strings("input")[i], field.numericalise(field.pad(columns[i])),
                       numbers || options.get_string("format") == "id");
  }
  return text;
}

}  // namespace xf::tools
