#include "tools/tutorials/field.h"

#include <algorithm>

#include "core/error.h"
#include "core/number_text.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

Tokens at_white_space(std::string_view text) {
  const auto words = split_on_space(text);
  return {words.begin(), words.end()};
}

int32_t number(const std::string& token) {
  if (const auto value = number_in<int32_t>(token)) return *value;
  fail(ErrorKind::data, "field: '{}' is not a number; without use_vocab every token must be one", token);
}

void append(const std::optional<std::string>& token, Tokens& row) {
  if (token) row.push_back(*token);
}

}  // namespace

Tokens Field::preprocess(std::string_view text) const {
  Tokens tokens = {std::string(text)};
  if (options_.sequential) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    tokens = options_.tokenize ? options_.tokenize(text) : at_white_space(text);
  }
  if (options_.lower) {
    for (std::string& token : tokens) token = lower_case(token);
  }
  if (options_.sequential && options_.use_vocab)
    std::erase_if(tokens, [&](const std::string& token) { return options_.stop_words.contains(token); });
  return options_.preprocessing ? options_.preprocessing(std::move(tokens)) : tokens;
}

void Field::build_vocab(const std::vector<const std::vector<Tokens>*>& columns, int64_t min_frequency,
                        int32_t max_size) {
  WordCounts counts;
  for (const auto* column : columns) {
    for (const Tokens& tokens : *column) {
      for (const std::string& token : tokens) ++counts.times[token];
    }
  }
  words_.clear();
  const auto& pad = options_.sequential ? options_.pad_token : std::nullopt;
  for (const auto& special : {options_.unk_token, pad, options_.init_token, options_.eos_token}) {
    if (special && std::ranges::find(words_, *special) == words_.end()) words_.push_back(*special);
  }
  std::vector<std::string> words = frequent_words(counts, min_frequency, words_);
  if (max_size > 0 && words.size() > static_cast<size_t>(max_size))
    words.resize(static_cast<size_t>(max_size));
  words_.insert(words_.end(), words.begin(), words.end());
  ids_.clear();
  for (size_t i = 0; i < words_.size(); ++i) ids_.emplace(words_[i], static_cast<int32_t>(i));
}

Field::Padded Field::pad(const std::vector<Tokens>& examples) const {
  Padded padded;
  if (!options_.sequential) return {examples, {}};
  size_t room = 0;  // for the example's own tokens
  if (options_.fix_length) {
    const int64_t specials = options_.init_token.has_value() + options_.eos_token.has_value();
    if (*options_.fix_length < specials)
      fail(ErrorKind::usage, "field: fix_length {} has no room for init_token and eos_token",
           *options_.fix_length);
    room = static_cast<size_t>(*options_.fix_length - specials);
  } else {
    for (const Tokens& tokens : examples) room = std::max(room, tokens.size());
  }
  for (const Tokens& tokens : examples) {
    const size_t kept = std::min(tokens.size(), room), missing = room - kept;
    if (missing > 0 && !options_.pad_token)
      fail(ErrorKind::usage, "field: examples of different lengths need a pad_token");
    const auto first =
        tokens.begin() + static_cast<std::ptrdiff_t>(options_.truncate_first ? tokens.size() - kept : 0);
    Tokens row;
    if (options_.pad_first) row.resize(missing, options_.pad_token.value_or(""));
    append(options_.init_token, row);
    row.insert(row.end(), first, first + static_cast<std::ptrdiff_t>(kept));
    append(options_.eos_token, row);
    if (options_.include_lengths)
      padded.lengths.push_back(static_cast<int64_t>(row.size() - (options_.pad_first ? missing : 0)));
    if (!options_.pad_first) row.resize(row.size() + missing, options_.pad_token.value_or(""));
    padded.rows.push_back(std::move(row));
  }
  return padded;
}

int32_t Field::id(const std::string& token) const {
  if (!options_.use_vocab) return number(token);
  auto found = ids_.find(token);
  if (found == ids_.end() && options_.unk_token) found = ids_.find(*options_.unk_token);
  if (found == ids_.end())
    fail(ErrorKind::data, "field: '{}' is not in the vocabulary, which has no unk_token", token);
  return found->second;
}

Field::Batch Field::numericalise(const Padded& padded) const {
  IdRows rows;
  for (const Tokens& tokens : padded.rows) {
    std::vector<int32_t>& row = rows.emplace_back();
    for (const std::string& token : tokens) row.push_back(id(token));
  }
  if (options_.postprocessing) rows = options_.postprocessing(std::move(rows));
  const size_t examples = rows.size(), length = rows.empty() ? 0 : rows.front().size();
  const bool example_rows = options_.batch_first || !options_.sequential;
  Batch batch{.ids = std::vector<int32_t>(examples * length),
              .rows = static_cast<int64_t>(example_rows ? examples : length),
              .columns = static_cast<int64_t>(example_rows ? length : examples),
              .lengths = padded.lengths};
  for (size_t i = 0; i < examples; ++i) {
    XF_CHECK(rows[i].size() == length, "field: row {} has {} ids, others {}", i, rows[i].size(), length);
    for (size_t j = 0; j < length; ++j)
      batch.ids[example_rows ? i * length + j : j * examples + i] = rows[i][j];
  }
  return batch;
}

}  // namespace xf::data
