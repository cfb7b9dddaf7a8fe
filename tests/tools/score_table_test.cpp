// Tables of several systems against those that sacreBLEU 2.6.0 printed (golden/make_scores.py).
#include "tools/report/score_table.h"

#include <string>
#include <vector>

#include "tests/data/golden_scores.h"
#include "tests/support/catch.h"

namespace {

using namespace xf::tools;
using namespace xf::tests;
using xf::data::PairedTest;

std::optional<ScoreTable::Trials> trials_of(const std::string& options_text) {
  auto options = score_options(options_text);
  if (options.count("bs") > 0) return ScoreTable::Trials{PairedTest::bootstrap, std::stoi(options["bs"])};
  if (options.count("ar") > 0) return ScoreTable::Trials{PairedTest::randomization, std::stoi(options["ar"])};
  return std::nullopt;
}

ScoreTable::Column column_of(const std::string& name, const std::vector<Lines>& systems,
                             const std::vector<Lines>& references,
                             const std::optional<ScoreTable::Trials>& trials) {
  const auto metric = golden_metric(name);
  ScoreTable::Column column;
  std::vector<xf::data::SegmentStatistics> segments;
  for (const Lines& system : systems) {
    segments.push_back(segment_statistics(*metric, system, references));
    column.results.push_back({.score = corpus_score(*metric, segments.back(), references.size()).score,
                              .confidence = {},
                              .p_value = {}});
  }
  auto score = corpus_score(*metric, segments.front(), references.size());
  if (trials) {
    add_trials(score.signature, trials->test == PairedTest::bootstrap ? "bs" : "ar", trials->count, "12345");
    column.results = paired_test(*metric, segments, trials->test, trials->count, 12345);
  }
  column.metric = score.name;
  column.signature = signature_text(score.signature);
  return column;
}

ScoreTable table_of(const Lines& row) {
  const size_t count = std::stoul(row[3]);
  const auto systems = golden_files(row, 4, 4 + count), references = golden_files(row, 4 + count, row.size());
  ScoreTable table{.systems = {}, .columns = {}, .trials = trials_of(row[1]), .width = 2};
  for (size_t i = 1; i <= count; ++i) table.systems.push_back("system " + std::to_string(i));
  if (table.trials) table.systems.front() = "Baseline: system 1";
  for (const char* name : {"bleu", "chrf", "ter"}) {
    table.columns.push_back(column_of(name, systems, references, table.trials));
  }
  return table;
}

// The grid and the signatures; the words between them are ours.
std::string without_explanation(const std::string& text) {
  return text.substr(0, text.find("\n\n")) + text.substr(text.find("-----------------\nMetric signatures"));
}

}  // namespace

TEST_CASE("Score table: the grid of systems, intervals and p-values is sacreBLEU's", "[golden]") {
  const auto rows = golden_rows("table");
  REQUIRE(rows.size() >= 24);
  for (const Lines& row : rows) {
    INFO("options: " << row[1]);
    CHECK(without_explanation(table_as_text(table_of(row))) ==
          with_our_version(replace_all(row[2], "\\n", "\n")));
  }
}

TEST_CASE("Score table: its JSON has every digit of sacreBLEU's", "[golden]") {
  const auto rows = golden_rows("table-json");
  REQUIRE(rows.size() >= 24);
  for (const Lines& row : rows) {
    INFO("options: " << row[1]);
    CHECK(table_as_json(table_of(row)) == replace_all(row[2], "\\n", "\n"));
  }
}

TEST_CASE("Score table: a name of any letters is a JSON string", "[unit]") {
  const ScoreTable table{.systems = {"é\"\n"},
                         .columns = {{"BLEU", "", {{.score = 1, .confidence = {}, .p_value = {}}}}}};
  CHECK(table_as_json(table) ==
        "[\n    {\n        \"system\": \"\\u00e9\\\"\\n\",\n        \"BLEU\": \"1.0\"\n    }\n]\n");
}
