// BLEU, chrF and TER against what sacreBLEU 2.6.0 printed (golden/make_scores.py).
#include <string>
#include <vector>

#include "core/error.h"
#include "data/composition.h"
#include "data/score/bleu.h"
#include "data/score/chrf.h"
#include "data/score/resampling.h"
#include "data/score/ter.h"
#include "tests/data/golden_scores.h"
#include "tests/data/multi30k.h"
#include "tests/support/catch.h"

namespace {

using namespace xf::data;
using namespace xf::tests;

Score score_row(const Lines& row) {
  const auto metric = golden_metric(row[1]);
  const auto references = golden_files(row, 4, row.size());
  return corpus_score(*metric, segment_statistics(*metric, split(row[3], " ||| "), references),
                      references.size());
}

}  // namespace

TEST_CASE("bleu_tokenize: every tokeniser gives sacreBLEU's tokens", "[golden]") {
  const auto rows = golden_rows("tokens");
  REQUIRE(rows.size() >= 250);
  for (const Lines& row : rows) {
    INFO("tokeniser " << row[1] << ", line: " << row[3]);
    if (row[1].starts_with("ter")) continue;
    CHECK(bleu_tokenize(row[3], bleu_tokenizer_from_name(row[1])) == row[2]);
  }
}

TEST_CASE("ter_tokenize: every option gives the words of sacreBLEU's Tercom", "[golden]") {
  size_t count = 0;
  for (const Lines& row : golden_rows("tokens")) {
    if (!row[1].starts_with("ter")) continue;
    auto options = score_options(row[1]);
    const TerTokenizerOptions ter{.case_sensitive = options.count("case") > 0,
                                  .normalized = options.count("norm") > 0,
                                  .no_punct = options.count("nopunct") > 0,
                                  .asian_support = options.count("asian") > 0};
    INFO("options " << row[1] << ", line: " << row[3]);
    CHECK(ter_tokenize(row[3], ter) == row[2]);
    ++count;
  }
  CHECK(count >= 150);
}

TEST_CASE("BLEU, chrF and TER: the printed line is sacreBLEU's to eight digits, for any options",
          "[golden]") {
  const auto rows = golden_rows("score");
  REQUIRE(rows.size() >= 900);
  for (const Lines& row : rows) {
    INFO("options: " << row[1] << "\nhypotheses: " << row[3]);
    CHECK(format(score_row(row), 8) == with_our_version(row[2]));
  }
}

TEST_CASE("Score: the short signature and the JSON object are sacreBLEU's", "[golden]") {
  for (const Lines& row : golden_rows("short"))
    CHECK(format_short(score_row(row), 2) == with_our_version(row[2]));
  const auto rows = golden_rows("json");
  REQUIRE(!rows.empty());
  for (const Lines& row : rows) {
    CHECK(format_json(score_row(row), 4) == with_our_version(replace_all(row[2], "\\n", "\n")));
  }
}

TEST_CASE("Score: several metrics are one JSON array, a round number keeps its point", "[unit]") {
  const Score perfect = {.name = "X", .score = 100, .verbose = "", .signature = {{"nrefs", "#", "1"}}};
  const std::string object =
      "{\n \"name\": \"X\",\n \"score\": 100.0,\n \"signature\": \"nrefs:1\",\n \"nrefs\": \"1\"\n}";
  CHECK(format_json(perfect, 2) == object);
  CHECK(format_json(perfect, 0) == object);
  CHECK(format_json({perfect, perfect}, 2) == "[\n" + object + ",\n" + object + "\n]");
  CHECK(format(perfect, 1) == "X|nrefs:1 = 100.0");
  CHECK(format_number(perfect, 4) == "100.0000");
}

TEST_CASE("BLEU: the English test file against the German one scores as published", "[golden]") {
  const auto folder = xf::tests::multi30k();
  if (!folder) return;
  const Lines english = read_lines(*folder + "test_2016_flickr.en"),
              german = read_lines(*folder + "test_2016_flickr.de");
  // computed with sacreBLEU 2.6.0
  const BleuScore mixed = corpus_bleu(english, german);
  CHECK(format_number(mixed, 8) == "0.47828790");
  const BleuScore lower = corpus_bleu(english, german, {.lowercase = true});
  CHECK(format_number(lower, 8) == "0.73994073");
  CHECK(lower.statistics.matches == std::array<int64_t, 4>{1696, 118, 23, 11});
  CHECK(lower.statistics.totals == std::array<int64_t, 4>{12955, 11955, 10955, 9955});
  CHECK(lower.ref_len == 12106);
  CHECK(format_number(corpus_chrf(english, german), 8) == "16.34473326");
  CHECK(format_number(corpus_chrf(english, german, {.word_order = 2}), 8) == "13.71223596");
}

TEST_CASE("sentence_bleu: the mean is over the orders reached", "[unit]") {
  const Lines reference = {"a b"};
  CHECK(sentence_bleu("a b", reference).score == Approx(100.0));  // two orders, both perfect
  CHECK(corpus_bleu(Lines{"a b"}, reference).score == 0.0);       // orders 3 and 4 have no n-gram
}

TEST_CASE("Scores: text is read as training reads it, and that it changed is said where it counts",
          "[unit]") {
  std::vector<std::string> decomposed = {"e\u0301"}, hidden = {"\u200B", ""}, opened = {"H\u0331"},
                           plain = {"\u00C9"};
  CHECK(compose(decomposed).changes(false));
  CHECK(decomposed.front() == "\u00E9");
  CHECK(compose(hidden).changes(false));
  CHECK(hidden.front().empty());
  const Composition capital = compose(opened);
  CHECK(!capital.changes(false));
  CHECK(capital.changes(true));
  CHECK(!compose(plain).changes(true));
  // Composed in lower case, and apart from its sign in upper case: the same words.
  const std::vector<std::string> small = {"\u1E96at 1 jeet ecir nu"};
  const std::vector<std::vector<std::string>> capitals = {{"H\u0331at 1 jeet ecir nu"}};
  CHECK(corpus_bleu(small, capitals, {.lowercase = true, .composed = true}).score == Approx(100));
  CHECK(corpus_chrf(small, capitals, {.lowercase = true, .composed = true}).score == Approx(100));
  CHECK(sentence_ter(small.front(), capitals.front(), {.composed = true}).score == 0);
}

TEST_CASE("Scores: unequal or empty files are refused as data errors", "[unit]") {
  const auto kind_of = [](auto&& call) {
    try {
      call();
    } catch (const xf::Error& error) {
      return error.exit_code();
    }
    return 0;
  };
  const Lines two = {"a", "b"}, one = {"a"}, none;
  CHECK(kind_of([&] { corpus_bleu(two, one); }) == 3);
  CHECK(kind_of([&] { corpus_chrf(two, one); }) == 3);
  CHECK(kind_of([&] { corpus_bleu(none, none); }) == 3);
  CHECK(kind_of([&] { corpus_bleu(one, std::vector<Lines>{}); }) == 3);
  CHECK(kind_of([&] { bleu_tokenizer_from_name("13b"); }) == 2);
  CHECK(kind_of([&] { bleu_smoothing_from_name("expo"); }) == 2);
}
