// Expectations: torchtext 0.6's Field, its documentation and what its pad() and numericalize() are
// defined to give for these examples (torchtext/data/field.py), worked out by hand.
#include "tools/tutorials/field.h"

#include <tuple>

#include "data/text_file.h"
#include "tests/data/errors.h"
#include "tests/data/multi30k.h"
#include "tests/support/catch.h"
#include "tools/tutorials/spacy/spacy_tokenizer.h"

namespace xf::data {
namespace {

using tests::error_of;
using Rows = std::vector<Tokens>;
using Ids = std::vector<int32_t>;

const Rows kExamples = {{"a", "b", "c"}, {"a"}};

Rows padded(FieldOptions options, const Rows& examples = kExamples) {
  return Field(std::move(options)).pad(examples).rows;
}

// A field with the vocabulary of kExamples: unk 0, pad 1, a 2, b 3, c 4.
Field field_with_vocabulary(FieldOptions options = {}) {
  Field field(std::move(options));
  field.build_vocab({&kExamples});
  return field;
}

TEST_CASE("Field: pads to the longest example, init_token and eos_token around it", "[golden]") {
  CHECK(padded({}) == Rows{{"a", "b", "c"}, {"a", "<pad>", "<pad>"}});
  CHECK(padded({.init_token = "<sos>", .eos_token = "<eos>"}) ==
        Rows{{"<sos>", "a", "b", "c", "<eos>"}, {"<sos>", "a", "<eos>", "<pad>", "<pad>"}});
  CHECK(padded({.pad_token = "_"})[1] == Tokens{"a", "_", "_"});
  CHECK(padded({}, {}).empty());
}

TEST_CASE("Field: fix_length counts init_token and eos_token, and cuts the end or the beginning",
          "[golden]") {
  CHECK(padded({.eos_token = "<eos>", .fix_length = 3}) ==
        Rows{{"a", "b", "<eos>"}, {"a", "<eos>", "<pad>"}});
  CHECK(padded({.fix_length = 2, .truncate_first = true}) == Rows{{"b", "c"}, {"a", "<pad>"}});
  CHECK(padded({.fix_length = 4})[0] == Tokens{"a", "b", "c", "<pad>"});
  CHECK(error_of([] {
          padded({.eos_token = "<eos>", .fix_length = 0});
        }).starts_with("2: field: fix_length 0"));
}

TEST_CASE("Field: pad_first puts padding before init_token", "[golden]") {
  CHECK(padded({.init_token = "<sos>", .pad_first = true})[1] == Tokens{"<pad>", "<pad>", "<sos>", "a"});
}

TEST_CASE("Field: include_lengths counts init_token and eos_token, not padding", "[golden]") {
  const Field::Padded with = Field({.eos_token = "<eos>", .include_lengths = true}).pad(kExamples);
  CHECK(with.lengths == std::vector<int64_t>{4, 2});
  CHECK(Field({.include_lengths = true, .pad_first = true}).pad(kExamples).lengths ==
        std::vector<int64_t>{3, 1});
  CHECK(Field({}).pad(kExamples).lengths.empty());
}

TEST_CASE("Field: ids are a column per example, or with batch_first a row", "[golden]") {
  const Field columns = field_with_vocabulary(), rows = field_with_vocabulary({.batch_first = true});
  const Field::Batch by_column = columns.numericalise(columns.pad(kExamples));
  CHECK(by_column.rows == 3);
  CHECK(by_column.columns == 2);
  CHECK(by_column.ids == Ids{2, 2, 3, 1, 4, 1});
  const Field::Batch by_row = rows.numericalise(rows.pad(kExamples));
  CHECK(by_row.rows == 2);
  CHECK(by_row.ids == Ids{2, 3, 4, 2, 1, 1});
}

TEST_CASE("Field: the vocabulary is specials, then words by frequency, ties by code point", "[golden]") {
  const Rows one = {{"b", "a", "b"}, {"<eos>", "c"}}, two = {{"c", "c", "d"}};
  Field field({.init_token = "<sos>", .eos_token = "<eos>"});
  field.build_vocab({&one, &two});  // shared: c is the most frequent in both together
  CHECK(field.vocabulary() == Tokens{"<unk>", "<pad>", "<sos>", "<eos>", "c", "b", "a", "d"});
  field.build_vocab({&one}, 2);
  CHECK(field.vocabulary() == Tokens{"<unk>", "<pad>", "<sos>", "<eos>", "b"});
  field.build_vocab({&one, &two}, 1, 2);
  CHECK(field.vocabulary() == Tokens{"<unk>", "<pad>", "<sos>", "<eos>", "c", "b"});
}

// Counted outside this project: lower-cased lines cut at white space; words that occur twice, and
// four specials.
TEST_CASE("Field: cut at white space Multi30k has 14,446 and 24,329 types, 7704 and 9597 ids", "[golden]") {
  const auto folder = tests::multi30k();
  if (!folder) return;
  for (const auto& [language, types, ids] :
       {std::tuple{"en", size_t{14446}, size_t{7704}}, {"de", size_t{24329}, size_t{9597}}}) {
    const FieldOptions options{.init_token = "<sos>", .eos_token = "<eos>", .lower = true};
    Field all(options), frequent(options);
    std::vector<Tokens> column;
    for (const std::string& line : read_lines(*folder + "train." + language))
      column.push_back(all.preprocess(line));
    all.build_vocab({&column});
    frequent.build_vocab({&column}, 2);
    CHECK(all.vocabulary().size() == types + 4);
    CHECK(frequent.vocabulary().size() == ids);
  }
}

TEST_CASE("Field: a word outside the vocabulary is unk_token, and an error without one", "[golden]") {
  const Field with = field_with_vocabulary({.batch_first = true});
  CHECK(with.numericalise(with.pad({{"a", "z"}})).ids == Ids{2, 0});
  const Field without = field_with_vocabulary({.unk_token = std::nullopt});
  CHECK(error_of([&] { without.numericalise(without.pad({{"z"}})); }).starts_with("3: field: 'z'"));
}

TEST_CASE("Field: lower and stop_words apply to tokens, preprocessing to what they leave", "[golden]") {
  const Field field({.preprocessing =
                         [](Tokens tokens) {
                           tokens.push_back("!");
                           return tokens;
                         },
                     .lower = true,
                     .stop_words = {"the"}});
  CHECK(field.preprocess("The dog  RUNS\n") == Tokens{"dog", "runs", "!"});
}

TEST_CASE("Field: tokenize is any function, spaCy's rules for one", "[golden]") {
  const Field field({.lower = true, .tokenize = [](std::string_view text) {
                       return spacy_words(text, SpacyRules::v3, SpacyLanguage::english);
                     }});
  CHECK(field.preprocess("Don't touch!") == Tokens{"do", "n't", "touch", "!"});
  // white space otherwise
  CHECK(Field({}).preprocess("Don't touch!") == Tokens{"Don't", "touch!"});
}

TEST_CASE("Field: the example of docs/guide/vocabularies.md", "[golden]") {
  Field field(
      {.init_token = "<sos>",
       .eos_token = "<eos>",
       .lower = true,
       .tokenize =
           [](std::string_view text) { return spacy_words(text, SpacyRules::v3, SpacyLanguage::english); },
       .include_lengths = true,
       .batch_first = true});
  const Rows examples = {field.preprocess("Two dogs run."), field.preprocess("A dog.")};
  field.build_vocab({&examples});
  const Field::Batch batch = field.numericalise(field.pad(examples));
  CHECK(batch.rows == 2);
  CHECK(batch.columns == 6);
  CHECK(batch.lengths == std::vector<int64_t>{6, 5});
  // unk 0, pad 1, sos 2, eos 3; "." is there twice, then a, dog, dogs, run, two
  CHECK(batch.ids == Ids{2, 9, 7, 8, 4, 3, 2, 5, 6, 4, 3, 1});
}

TEST_CASE("Field: not sequential is one token an example, without padding", "[golden]") {
  Field label({.sequential = false, .unk_token = std::nullopt});
  const Rows column = {label.preprocess("very good"), label.preprocess("bad"), label.preprocess("bad")};
  CHECK(column[0] == Tokens{"very good"});
  label.build_vocab({&column});
  CHECK(label.vocabulary() == Tokens{"bad", "very good"});  // no <pad>
  const Field::Batch batch = label.numericalise(label.pad(column));
  CHECK(batch.ids == Ids{1, 0, 0});
  CHECK(batch.rows == 3);
  CHECK(batch.columns == 1);
}

TEST_CASE("Field: without use_vocab tokens are numbers, and postprocessing sees ids", "[golden]") {
  const auto doubled = [](IdRows rows) {
    for (auto& row : rows) {
      for (int32_t& id : row) id *= 2;
    }
    return rows;
  };
  const Field field({.use_vocab = false, .postprocessing = doubled, .batch_first = true, .pad_token = "0"});
  CHECK(field.numericalise(field.pad({{"7", "-1"}, {"3"}})).ids == Ids{14, -2, 6, 0});
  CHECK(
      error_of([&] { field.numericalise(field.pad({{"x"}})); }).starts_with("3: field: 'x' is not a number"));
}

}  // namespace
}  // namespace xf::data
