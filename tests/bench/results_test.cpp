#include "bench/results.h"

#include <filesystem>

#include "bench/markdown.h"
#include "bench/output.h"
#include "bench/report.h"
#include "core/error.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

namespace xf::bench {
namespace {

using Catch::Contains;

Results two_rows() {
  Row step;
  step.fn = "train_step";
  step.shape = "tiny 292x14";
  step.dtype = "f32";
  step.device = "cpu";
  step.samples = {{0.2, 0.25, 0.3}, 1};
  step.bytes = 5e9;
  step.flops = 50e9;
  step.floor_s = 0.2;
  step.baseline = "torch 2.11.0, compiled";
  step.baseline_s = 0.5;
  step.tuning = {
      "compiled", "fastest of 2 settings on a step", {{"eager", "a step", 0.7}, {"compiled", "a step", 0.5}}};
  step.parts = {{"products", 0.15}, {"rest", 0.05}};
  step.tokens = 4088;
  step.peak_bytes = 100 << 20;
  Row absent = step;
  absent.fn = "sort";
  absent.samples = {};
  absent.baseline = "torch";
  absent.baseline_s = kUnknown;
  absent.parts.clear();
  absent.note = "no baseline: <no> \"torch\" here, at all";
  return {"first", {{"commit", "abc"}, {"copy_gbs", "100.0"}, {"gemm_gflops", "400.0"}}, {step, absent}};
}

TEST_CASE("Results: JSON has the promised members, and null where nothing is known", "[unit]") {
  const std::string json = to_json(two_rows());
  for (const char* const member :
       {"fn", "shape", "dtype", "device", "median_s", "p10_s", "p90_s", "n", "bytes", "flops", "floor_s",
        "pct_floor", "baseline", "baseline_s", "ratio"}) {
    CHECK_THAT(json, Contains("\"" + std::string(member) + "\": "));
  }
  CHECK_THAT(json,
             Contains("\"median_s\": 0.25") && Contains("\"pct_floor\": 80.0") && Contains("\"ratio\": 2.0"));
  CHECK_THAT(json, Contains("\"peer\": \"compiled\"") &&
                       Contains("\"peer_why\": \"fastest of 2 settings on a step\"") &&
                       Contains("\"setting\": \"eager\"") && Contains("\"seconds\": 0.7"));
  CHECK_THAT(json, Contains("\"median_s\": null") && Contains("\"ratio\": null") &&
                       Contains("\"gemm_gflops\": 400.0"));
}

TEST_CASE("Results: sizes and errors are kept, and the schema's version is told", "[unit]") {
  Results results = two_rows();
  results.rows[0].extents = {{"N", 4096}, {"D", 128}};
  results.rows[0].error = 2.5e-7;
  results.rows[0].allowed = 2e-5;
  const std::string json = to_json(results);
  CHECK_THAT(json, Contains("\"schema_version\": 2") && Contains("\"error\": 2.5e-07") &&
                       Contains("\"error_allowed\": 2e-05"));
  const Results again = from_json(json, "there");
  CHECK(again.rows[0].extents == results.rows[0].extents);
  CHECK(again.rows[0].error == 2.5e-7);
  CHECK_FALSE(std::isfinite(again.rows[1].error));
  CHECK_THAT(to_table(results), Contains("error") && Contains(" 2.5e-07 "));
  CHECK_THAT(to_table(two_rows()), !Contains("error"));
}

TEST_CASE("Results: a document of a later schema is refused, one that does not say is of the first",
          "[unit]") {
  std::string json = to_json(two_rows());
  const std::string version = "\"schema_version\": 2";
  json.replace(json.find(version), version.size(), "\"schema_version\": 3");
  CHECK_THROWS_WITH(from_json(json, "there"), Contains("there: of a later xformer-bench"));
  json.replace(json.find(version.substr(0, 16)), version.size() + 1, "");
  CHECK(from_json(json, "there").rows.size() == 2);
}

TEST_CASE("Header: why a GPU is slowed down is told in words", "[unit]") {
  CHECK(slowed_by("0x0000000000000000") == "nothing");
  CHECK(slowed_by("0x0000000000000001") == "nothing");  // idle
  CHECK(slowed_by("0x0000000000000024") == "power cap; thermal, software");
  CHECK(slowed_by("0x0000000000000048") == "hardware slowdown; thermal, hardware");
  CHECK(slowed_by("[N/A]") == "unknown");
  CHECK(slowed_by("") == "unknown");
}

TEST_CASE("Report: a sweep of three sizes is drawn, with both sides", "[unit]") {
  Results results = two_rows();
  results.rows.resize(1);
  results.rows[0].fn = "softmax_forward";
  results.rows[0].shape = "64x1";
  results.rows[0].baseline = "mine.so";
  results.rows[0].parts.clear();
  for (const int64_t D : {1, 2, 4}) {
    results.rows.push_back(results.rows[0]);
    results.rows.back().extents = {{"N", 64}, {"D", D}};
  }
  const std::string page = to_html({results});
  CHECK_THAT(page, Contains("Against size") && Contains("softmax_forward N=64") && Contains("mine.so"));
  results.rows.pop_back();
  CHECK_THAT(to_html({results}), !Contains("Against size"));
}

TEST_CASE("Report: Markdown has the newest row of each machine and peer, with its quartiles", "[unit]") {
  const auto run = [](const std::string& date, const std::string& commit, double seconds) {
    Results results = two_rows();
    results.header = {
        {"date", date}, {"commit", commit}, {"cpu", "AMD EPYC"}, {"isa", "avx2 avx512f"}, {"threads", "2"}};
    results.rows[0].samples = {{seconds}, 0};
    results.rows[0].note = "in turn; half of the ratios from 1.50 to 2.25; more";
    return results;
  };
  Results newer = run("2026-11-02", "0123456789ab-dirty", 0.25), other = run("2026-11-01", "abc", 0.5);
  other.rows[0].baseline = "f32";
  other.rows[0].note.clear();
  const std::string text = to_markdown({newer, run("2026-11-01", "old", 0.1), other});
  CHECK(
      text ==
      "## Training step\n\n"
      "| what | machine | commit | ours | % of roofline | peer | ratio [quartiles] | command |\n"
      "|---|---|---|--:|--:|---|---|---|\n"
      "| tiny 292x14, f32 | AMD EPYC, AVX-512, 2 threads | abc | 500.00 ms | 40 | 500.00 ms, f32 | 1.00 | "
      "`xformer-bench --fn train_step --preset tiny --baseline f32` |\n"
      "| tiny 292x14, f32 | AMD EPYC, AVX-512, 2 threads | 01234567+ | 250.00 ms | 80 | 500.00 ms, torch 2.11.0 | "
      "2.00 [1.50, 2.25] | `xformer-bench --fn train_step --preset tiny --baseline torch` |\n");
  newer.rows[0].device = "cuda:0";
  newer.header.emplace_back("gpu", "NVIDIA H200");
  newer.rows.push_back(newer.rows[0]);
  newer.rows[1].fn = "translate";
  newer.rows[1].shape = "text.en beam 5 batch 128";
  newer.rows[1].dtype = "int8";
  newer.rows[1].device = "cpu";
  newer.rows[1].samples = newer.rows[0].samples;
  const std::string both = to_markdown({newer});
  CHECK_THAT(both, Contains("## GPU\n") && Contains("| NVIDIA H200 |") &&
                       Contains("`xformer-bench --device cuda --fn train_step"));
  CHECK_THAT(both,
             Contains("## Translation\n") && Contains("| beam 5 batch 128, int8 |") &&
                 Contains("--end-to-end translate --model RUN --beam 5 --dtype int8 --baseline torch`"));
}

TEST_CASE("Results: a part lies beside what is stored, and goes when the whole is there", "[unit]") {
  const xf::tests::TemporaryFolder folder;
  Results whole = two_rows(), part = whole;
  whole.label = part.label = folder / "run.json";
  part.rows.pop_back();
  store(whole);
  store_part(part);
  CHECK(load(whole.label).rows.size() == 2);
  CHECK(load(folder / "run.part.json").rows.size() == 1);
  store(whole);
  CHECK_FALSE(std::filesystem::exists(folder / "run.part.json"));
  CHECK(load(whole.label).rows.size() == 2);
}

TEST_CASE("Results: what is stored comes back", "[unit]") {
  const Results before = two_rows(), after = from_json(to_json(before), "here");
  CHECK(after.label == "first");
  CHECK(look_up(after.header, "commit") == "abc");
  CHECK(after.ceiling("copy_gbs") == 100);
  REQUIRE(after.rows.size() == 2);
  CHECK(to_json(after) == to_json(before));
  CHECK(after.rows[0].samples.seconds == before.rows[0].samples.seconds);
  CHECK_FALSE(after.rows[1].ran());
}

TEST_CASE("Results: many samples are thinned to their quantiles", "[unit]") {
  Results results = two_rows();
  results.rows.resize(1);
  results.rows[0].samples.seconds.clear();
  for (int i = 0; i <= 1000; ++i) results.rows[0].samples.seconds.push_back(1 + 0.001 * i);
  const Row row = from_json(to_json(results), "here").rows[0];
  CHECK(row.samples.seconds.size() == 200);
  CHECK(row.median() == Approx(1.5).epsilon(1e-3));
  CHECK(row.quantile(0.1) == Approx(1.1).epsilon(5e-3));
}

TEST_CASE("Results: runs that are pooled keep all samples, and the better ceilings", "[unit]") {
  const Results older = two_rows();
  Results newer = two_rows();
  newer.header = {{"commit", "def"}, {"copy_gbs", "90.0"}, {"gemm_gflops", "450.0"}};
  newer.rows.pop_back();
  newer.rows[0].samples = {{0.1}, 0};
  newer.rows[0].floor_s = 0.19;
  const Results all = pooled(older, newer);
  REQUIRE(all.rows.size() == 2);
  CHECK(all.rows[0].samples.seconds == std::vector<double>{0.1, 0.2, 0.25, 0.3});
  CHECK(all.rows[0].samples.disturbed == 1);
  CHECK(all.rows[0].floor_s == 0.19);
  CHECK(all.ceiling("copy_gbs") == 100);
  CHECK(all.ceiling("gemm_gflops") == 450);
  CHECK_THAT(look_up(all.header, "pooled_with"), Contains("abc"));
  CHECK_THAT(look_up(pooled(all, newer).header, "pooled_with"), Contains("abc") && Contains("def"));
}

TEST_CASE("Results: a pooled ratio is that of the runs, whichever of them was disturbed", "[unit]") {
  Results older = two_rows(), newer = two_rows();
  newer.rows[0].samples = {{0.5, 0.5, 0.5}, 0};  // twice as long, and so was the peer
  newer.rows[0].baseline_s = 1;
  CHECK(pooled(older, newer).rows[0].ratio() == Approx(2));
  newer.rows[0].baseline_s = 4;  // 8 times ours
  CHECK(pooled(older, newer).rows[0].ratio() == Approx(4));
  newer.rows[0].baseline = "another peer";
  CHECK(pooled(older, newer).rows[0].ratio() == Approx(8));
}

TEST_CASE("Results: a run without a baseline leaves the one that is there", "[unit]") {
  const Results older = two_rows();
  Results newer = two_rows();
  newer.rows[0].baseline = "none";
  newer.rows[0].baseline_s = kUnknown;
  CHECK(pooled(older, newer).rows[0].baseline == older.rows[0].baseline);
  CHECK(pooled(older, newer).rows[0].baseline_s == older.rows[0].baseline_s);
  newer.rows[0].baseline_s = 7;
  CHECK(pooled(older, newer).rows[0].baseline == "none");
  CHECK(pooled(older, newer).rows[0].baseline_s == Approx(7));
}

TEST_CASE("Results: runs of another type or machine, whose ceilings are others, are not pooled", "[unit]") {
  Results f32 = two_rows(), bf16 = two_rows();
  f32.header.emplace_back("dtype", "f32");
  bf16.header.emplace_back("dtype", "bf16");
  CHECK_NOTHROW(pooled(f32, f32));
  CHECK_THROWS_WITH(pooled(f32, bf16), Contains("has dtype f32, this run bf16"));
}

TEST_CASE("Results: text that is something else is refused by name", "[unit]") {
  CHECK_THROWS_WITH(from_json("{", "file.json"), Contains("file.json"));
  CHECK_THROWS_AS(from_json("{\"header\": {}}", "file.json"), Error);
  CHECK_THROWS_WITH(from_json(R"({"header": {"copy_gbs": "fast"}, "rows": []})", "file.json"),
                    Contains("file.json: not the results of a benchmark"));
}

TEST_CASE("Results: what was checked and not timed comes back without ceilings", "[unit]") {
  Results checked = two_rows();
  checked.header = {{"commit", "abc"}};
  const Results again = from_json(to_json(checked), "here");
  CHECK_FALSE(std::isfinite(again.ceiling("copy_gbs")));
  CHECK(to_json(again) == to_json(checked));
}

TEST_CASE("Results: where nothing can be stored is told before there is something to store", "[unit]") {
  const xf::tests::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "folder.json");
  CHECK_THROWS_WITH(check_storable(folder / "folder.json"), Contains("is a folder"));
  CHECK_THROWS_WITH(check_storable("/proc/nowhere/run.json"),
                    Contains("cannot make the folder /proc/nowhere"));
  check_storable(folder / "run.json");
  CHECK_FALSE(std::filesystem::exists(folder / "run.json"));
}

TEST_CASE("Output: the table says what a row reached, and why something is missing", "[unit]") {
  const std::string table = to_table(two_rows());
  CHECK_THAT(table, Contains("train_step") && Contains("250.00 ms") && Contains("2.00") &&
                        Contains("torch 2.11.0, compiled"));
  CHECK_THAT(table, Contains("products 150.00") && Contains("no baseline: <no>"));
  CHECK_THAT(to_roofline(two_rows()), Contains("products") && Contains("10.00"));
}

TEST_CASE("Output: a comma or a quote does not break a line of CSV", "[unit]") {
  CHECK_THAT(to_csv(two_rows()), Contains("\"torch 2.11.0, compiled\"") &&
                                     Contains("\"no baseline: <no> \"\"torch\"\" here, at all\""));
}

TEST_CASE("Report: one file, with all charts, escaped, and nothing from elsewhere", "[unit]") {
  Results later = two_rows();
  later.label = "second";
  later.rows[0].samples.seconds = {0.1, 0.1, 0.1};
  const std::string page = to_html({two_rows(), later});
  for (const char* const part :
       {"Roofline", "Against peers", "The training step", "History", "All rows", "first", "second"}) {
    CHECK_THAT(page, Contains(part));
  }
  CHECK_THAT(page, Contains("-60.0 %") && Contains("&lt;no&gt;"));
  for (const char* const outside : {"<script", "href=", "src=", "url("}) CHECK_THAT(page, !Contains(outside));
}

}  // namespace
}  // namespace xf::bench
