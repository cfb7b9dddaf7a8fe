#include "tools/report/results_table.h"

#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::tools;
using xf::tests::error_of;
using xf::tests::TemporaryFolder;

namespace {

constexpr const char* kConfig = R"(task = "demo"
valid-sets = ["text/val.en", "text/val.de"]
valid-metrics = ["bleu", "ce-mean-words"]
)";

// Two validations, of which the first is the better one, and a line that was cut off.
constexpr const char* kMetrics = R"({"event":"begin","parameters":1234567}
{"event":"train","update":4,"loss":2.5}
{"event":"valid","update":5,"metric":"bleu","score":20.125,"best":true,"signature":"nrefs:1|case:lc|eff:no|tok:13a"}
{"event":"valid","update":5,"metric":"ce-mean-words","score":1.5}
{"event":"valid","update":10,"metric":"bleu","score":19,"best":false,"signature":"nrefs:1|case:lc|eff:no|tok:13a"}
{"event":"valid","update":10,"metric":"ce-mean-words","score":1.25}
{"event":"averaged","metric":"bleu","score":21,"beam":5,"signature":"nrefs:1|case:lc|eff:no|tok:13a"}
{"event":"averaged","metric":"bleu","score":22,"beam":5,"signature":"nrefs:1|case:lc|eff:no|tok:13a"}
{"event":"test","set":"text/flickr.en-de","metric":"bleu","score":30,"beam":5,"signature":"case:lc|tok:13a"}
{"event":"test","set":"text/flickr.en-de","metric":"bleu","score":31,"beam":5,"signature":"case:lc|tok:13a"}
{"event":"val)";

}  // namespace

TEST_CASE(
    "Results table: the best checkpoint by the metric that chose it, "
    "and the averaged model, on test sets too",
    "[unit]") {
  const TemporaryFolder run;
  run.write("config.toml", kConfig);
  run.write("metrics.jsonl", kMetrics);
  const std::vector<ResultRow> rows = result_rows(run / "", {});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].model == (run / "") + " (demo)");
  CHECK(rows[0].parameters == 1234567);
  CHECK(rows[0].data_set == "text/val.en-de");
  CHECK(rows[0].metric == "bleu (beam 1, case:lc, tok:13a)");
  CHECK(rows[0].score == 20.125);
  CHECK(rows[1].metric == "bleu (averaged model, beam 5, case:lc, tok:13a)");
  CHECK(rows[1].score == 22);  // measured twice: the run was gone on with
  CHECK(rows[2].data_set == "text/flickr.en-de");
  CHECK(rows[2].metric == rows[1].metric);
  CHECK(rows[2].score == 31);
}

TEST_CASE("Results table: other metrics are those of the same checkpoint, not their own best", "[unit]") {
  const TemporaryFolder run;
  run.write("config.toml", kConfig);
  run.write("metrics.jsonl", kMetrics);
  const std::vector<ResultRow> rows = result_rows(run / "", {"ce-mean-words"});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].metric == "ce-mean-words");
  CHECK(rows[0].score == 1.5);
}

TEST_CASE("Results table: what a run has not measured, and a folder that is none, are refused", "[unit]") {
  const TemporaryFolder run;
  CHECK(error_of([&] { result_rows(run / "", {}); }).starts_with("3: "));
  run.write("config.toml", kConfig);
  run.write("metrics.jsonl", kMetrics);
  CHECK_THAT(error_of([&] { result_rows(run / "", {"chrf"}); }),
             Catch::EndsWith("has not measured chrf; its --valid-metrics are bleu ce-mean-words"));
  run.write("metrics.jsonl", "{\"event\":\"begin\",\"parameters\":7}\n");
  CHECK_THAT(error_of([&] { result_rows(run / "", {}); }),
             Catch::EndsWith("nothing was validated; train it with --valid-sets"));
}

TEST_CASE("Results table: text has its numbers under each other, Markdown a row for each", "[unit]") {
  const std::vector<ResultRow> rows = {{"a (demo)", 5968, "val.en-de", "bleu", 26.4},
                                       {"long (seq2seq)", 55207087, "val.en-de", "ce-mean-words", 3.20480}};
  CHECK(results_as_text(rows) ==
        "model           parameters  measured on  metric          score\n"
        "a (demo)             5,968  val.en-de    bleu            26.40\n"
        "long (seq2seq)  55,207,087  val.en-de    ce-mean-words  3.2048\n");
  CHECK(results_as_markdown(rows) ==
        "| model | parameters | measured on | metric | score |\n|---|--:|---|---|--:|\n"
        "| a (demo) | 5,968 | val.en-de | bleu | 26.40 |\n"
        "| long (seq2seq) | 55,207,087 | val.en-de | ce-mean-words | 3.2048 |\n");
}
