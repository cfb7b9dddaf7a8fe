// BLEU and chrF against sacreBLEU 2.6.0: the fixture golden/bleu.tsv was printed by it (golden/make_bleu.py).
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "data/bleu.h"
#include "data/chrf.h"
#include "tests/data/multi30k.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"

namespace {

using namespace xf::data;
using Lines = std::vector<std::string>;

Lines read_lines(const std::string& path) {
  std::ifstream file(path);
  Lines lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

Lines split(const std::string& text, const std::string& separator) {
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
std::vector<Lines> golden_rows(const std::string& kind) {
  std::vector<Lines> rows;
  for (const std::string& line : read_lines(xf::tests::source_folder() + "/tests/golden/bleu.tsv")) {
    if (Lines fields = split(line, "\t"); fields[0] == kind) rows.push_back(fields);
  }
  return rows;
}

// "bleu lc tok=13a" -> {"bleu": "", "lc": "", "tok": "13a"}
std::map<std::string, std::string> parse_options(const std::string& text) {
  std::map<std::string, std::string> options;
  for (const std::string& word : split(text, " ")) {
    const Lines parts = split(word, "=");
    options[parts[0]] = parts.size() > 1 ? parts[1] : "";
  }
  return options;
}

Score score_row(const Lines& row) {
  auto options = parse_options(row[1]);
  const Lines hypotheses = split(row[3], " ||| ");
  std::vector<Lines> references;
  for (size_t i = 4; i < row.size(); ++i) references.push_back(split(row[i], " ||| "));
  const bool lowercase = options.count("lc") > 0;
  if (options.count("chrf") > 0) {
    const int word_order = options.count("nw") > 0 ? std::stoi(options["nw"]) : 0;
    return corpus_chrf(hypotheses, references, {.lowercase = lowercase, .word_order = word_order});
  }
  BleuOptions bleu;
  bleu.lowercase = lowercase;
  bleu.effective_order = options.count("eff") > 0;
  if (options.count("tok") > 0) bleu.tokenizer = bleu_tokenizer_from_name(options["tok"]);
  if (options.count("smooth") > 0) bleu.smoothing = bleu_smoothing_from_name(options["smooth"]);
  if (options.count("value") > 0) bleu.smooth_value = std::stod(options["value"]);
  return corpus_bleu(hypotheses, references, bleu);
}

std::string replace_all(const std::string& text, const std::string& from, const std::string& to) {
  const Lines parts = split(text, from);
  std::string result = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) result += to + parts[i];
  return result;
}

// sacreBLEU's output with our version.
std::string with_our_version(const std::string& text) {
  return replace_all(text, "2.6.0", "2.6.0+xformer-" XFORMER_VERSION);
}

}  // namespace

TEST_CASE("bleu_tokenize: every tokeniser gives sacreBLEU's tokens", "[golden]") {
  const auto rows = golden_rows("tokens");
  REQUIRE(rows.size() >= 80);
  for (const Lines& row : rows) {
    INFO("tokeniser " << row[1] << ", line: " << row[3]);
    CHECK(bleu_tokenize(row[3], bleu_tokenizer_from_name(row[1])) == row[2]);
  }
}

TEST_CASE("BLEU and chrF: the printed line is sacreBLEU's to eight digits, for any options", "[golden]") {
  const auto rows = golden_rows("score");
  REQUIRE(rows.size() >= 400);
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
