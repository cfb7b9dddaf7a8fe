#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "data/text_file.h"
#include "tools/setup/text_options.h"
#include "tools/tutorials/commands.h"
#include "tools/tutorials/field.h"

namespace xf::tutorials {

using tools::FieldOptions;

namespace {

constexpr size_t kWordsShown = 16;  // of the vocabulary

std::optional<std::string> token(const std::string& given) {
  return given == "none" ? std::nullopt : std::optional(given);
}

data::FieldOptions field_options(const FieldOptions& options) {
  const auto& stop_words = options.stop_words;
  data::FieldOptions field{.sequential = options.sequential,
                           .use_vocab = options.use_vocab,
                           .init_token = token(options.init_token),
                           .eos_token = token(options.eos_token),
                           .lower = options.text.lowercase,
                           .include_lengths = options.include_lengths,
                           .batch_first = options.batch_first,
                           .pad_token = token(options.pad_token),
                           .unk_token = token(options.unk_token),
                           .pad_first = options.pad_first,
                           .truncate_first = options.truncate_first,
                           .stop_words = {stop_words.begin(), stop_words.end()}};
  if (options.fix_length) field.fix_length = *options.fix_length;
  if (options.text.tokenizer != "whitespace") {
    field.tokenize = [rules = word_rules(options.text, options.input)](std::string_view text) {
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

std::string field_page(const FieldOptions& options) {
  options_of(options).require("input");
  data::Field field(field_options(options));
  std::vector<std::vector<data::Tokens>> columns;
  for (const std::string& path : options.input) columns.push_back(read_column(field, path));
  const bool numbers = !options.use_vocab;
  std::string text;
  if (!numbers) {
    std::vector<const std::vector<data::Tokens>*> views;
    for (const auto& column : columns) views.push_back(&column);
    field.build_vocab(views, options.text.min_freq, static_cast<int32_t>(options.max_size));
    text = vocabulary_line(field.vocabulary());
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i].resize(std::min(columns[i].size(), static_cast<size_t>(options.num_examples)));
    text += batch_text(field, options.input[i], field.numericalise(field.pad(columns[i])),
                       numbers || options.format == "id");
  }
  return text;
}

}  // namespace xf::tutorials
