#include "tools/report/run_page.h"

#include <fmt/core.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include "core/file.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/tools/parsed_options.h"
#include "tests/tools/trained_run.h"
#include "tools/console/shell_word.h"
#include "tools/report/run_comparison.h"
#include "tools/report/run_pictures.h"
#include "tools/setup/task_data.h"

using namespace xf;
using namespace xf::tools;
using xf::tests::error_of;
using xf::tests::TemporaryFolder;

namespace {

std::string training_line(int update) {
  const double loss = 2 + 6.0 / (1 + update * 0.01) + 0.1 * ((update * 7919) % 13);
  return fmt::format(
      R"({{"v":1,"event":"train","update":{},"epoch":{},"loss":{:.6f},"ce-mean-words":{:.6f},"ppl":20,"lr":0.001,"gnorm":{:.3f},"tok_per_s":9000,"mem_mb":500,"seconds":{}}})"
      "\n",
      update, 1 + update / 55, loss, loss - 0.5, 0.5 + (update % 17) * 0.01, update / 2);
}

std::string validation_lines(int update) {
  std::string lines;
  for (const char* metric : {"bleu", "chrf", "ce-mean-words", "perplexity"}) {
    lines += fmt::format(
        R"({{"v":1,"event":"valid","update":{},"epoch":{},"seconds":{},"metric":"{}","score":{}{}}})"
        "\n",
        update, update / 55, update / 2, metric, 20 + update % 11,
        metric == std::string("bleu") ? R"(,"best":true)" : "");
  }
  return lines;
}

// As long as a run of 900 epochs: every update reported, every 55th validated.
void write_long_run(const TemporaryFolder& run) {
  std::ofstream file(run / "metrics.jsonl");
  file << R"({"event":"begin","read":29000,"pairs":29000,"parameters":2621584,"device":"cpu"})"
       << "\n";
  for (int update = 1; update <= 50000; ++update) {
    file << training_line(update);
    if (update % 55 == 0) file << validation_lines(update);
  }
  file.close();
  ValidationFiles files(run / "", 0);
  for (int64_t number = 1; number <= 909; ++number) {
    nn::TrainingState state;
    state.update = 55 * number;
    state.validations = number;
    ValidationResult result;
    for (int64_t i = 0; i < 20; ++i)
      result.samples.push_back(
          {i, std::string(3000, 's'), "<reference>", fmt::format("version {} <b>", number)});
    files.add(state, result, false);
  }
}

// Of this process, not of the clock on the wall: other programs do not count.
double milliseconds_of(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("Commands that are printed hold a folder's name as one word of a shell", "[unit]") {
  CHECK(shell_word("runs/first-1.2") == "runs/first-1.2");
  CHECK(shell_word("läufe/a") == "läufe/a");
  CHECK(shell_word("my run") == "'my run'");
  CHECK(shell_word("it's $x") == "'it'\\''s $x'");
  CHECK(use_line(nn::ModelType::translation, "my run") ==
        "translate with: xformer-translate -m 'my run' -i FILE -o FILE");
}

TEST_CASE("Run page: of 50,000 updates it stays under a megabyte and is drawn in a tenth of a second",
          "[unit]") {
  const TemporaryFolder run;
  write_long_run(run);
  const TrainingOptions options = xf::tests::parsed_training({"-m", run / "", "--task", "demo"});
  RunPictures pictures(options);
  const double first = milliseconds_of([&] { pictures.draw({}); });  // reads all that there is
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    std::ofstream(run / "metrics.jsonl", std::ios::app) << training_line(50001 + i);
    fastest = std::min(fastest, milliseconds_of([&] { pictures.draw({}); }));
  }
  const std::string page = read_file(run / "report.html");
  WARN("report.html: " << page.size() / 1000 << " kB; with the curves " << fastest << " ms, the first time "
                       << first);
  CHECK(page.size() < 1'000'000);
  CHECK(fastest < 100);
}

TEST_CASE("Run page: it stands alone, and text from outside is escaped", "[unit]") {
  const TemporaryFolder run;
  run.write("metrics.jsonl", R"({"event":"begin","device":"<script>"})"
                             "\n" +
                                 training_line(1) + training_line(2) + validation_lines(2));
  ValidationFiles files(run / "", 0);
  nn::TrainingState state;
  state.update = 2;
  state.validations = 1;
  ValidationResult result;
  result.samples = {{0, "a <b> & c", "r", "t"}};
  files.add(state, result, true);
  const TrainingOptions options =
      xf::tests::parsed_training({"-m", run / "", "--task", "demo", "--dim-emb", "64"});
  RunPictures(options).draw({.state = "finished", .training = state});
  const std::string page = read_file(run / "report.html");
  for (const char* banned : {"<script", "http://", "https://", "<link", "<img", "nan", "inf,"}) {
    std::string text = page;
    for (size_t at; (at = text.find("http://www.w3.org/2000/svg")) != std::string::npos;) text.erase(at, 7);
    INFO(banned);
    CHECK(text.find(banned) == std::string::npos);
  }
  CHECK(page.find("a &lt;b&gt; &amp; c") != std::string::npos);
  CHECK(page.find(": finished</h1>") != std::string::npos);
  CHECK(page.find("<td>dim-emb</td><td>64</td><td>128</td>") != std::string::npos);
  CHECK(page.find("training, labels smoothed") != std::string::npos);
  CHECK(page.find("validation, plain") != std::string::npos);
}

TEST_CASE("Run page: --report=false draws curves alone", "[unit]") {
  const TemporaryFolder run;
  run.write("metrics.jsonl", training_line(1));
  const TrainingOptions options = xf::tests::parsed_training({"-m", run / "", "--report=false"});
  CHECK(RunPictures(options).draw({}).empty());
  CHECK(std::filesystem::exists(run / "loss.svg"));
  CHECK_FALSE(std::filesystem::exists(run / "report.html"));
}

TEST_CASE("Metrics: what is appended is read on, half a line waits for its end, a cut file begins anew",
          "[unit]") {
  const TemporaryFolder run;
  const std::string path = run.write("metrics.jsonl", training_line(1) + training_line(2).substr(0, 20));
  MetricsReader reader(path);
  CHECK(reader.read().training.size() == 1);
  std::ofstream(path, std::ios::app) << training_line(2).substr(20) << training_line(3);
  CHECK(reader.read().training.size() == 3);
  CHECK(reader.read().foreign == 0);
  run.write("metrics.jsonl", training_line(1));
  CHECK(reader.read().training.size() == 1);
}

TEST_CASE("Metrics: a run that has gone back takes back what came later", "[unit]") {
  const TemporaryFolder run;
  run.write("metrics.jsonl", training_line(1) + training_line(2) + training_line(3) + validation_lines(3) +
                                 training_line(2) + validation_lines(2));
  const RunMetrics metrics = read_run_metrics(run / "");
  REQUIRE(metrics.training.size() == 2);
  REQUIRE(metrics.scores.size() == 4);
  CHECK(metrics.best_update() == 2);
}

TEST_CASE("Run comparison: scores, what differs and nothing else, curves of all", "[unit]") {
  const TemporaryFolder runs;
  for (const std::string name : {"one", "two"}) {
    std::filesystem::create_directory(runs / name);
    runs.write(name + "/metrics.jsonl", training_line(1) + training_line(2) + validation_lines(2));
    const TrainingOptions options = xf::tests::parsed_training(
        {"-m", runs / name, "--task", "demo", "--dim-emb", name == "one" ? "64" : "32"});
    runs.write(name + "/config.toml", options_of(options).to_toml());
  }
  const std::string page = comparison_page({runs / "one", runs / "two/"});
  CHECK(page.find("<tr><th>option</th><th>one</th><th>two</th></tr>") != std::string::npos);
  CHECK(page.find("<tr><td>dim-emb</td><td>64</td><td>32</td></tr>") != std::string::npos);
  CHECK(page.find("<td>enc-depth</td>") == std::string::npos);
  CHECK(page.find("Validation: BLEU") != std::string::npos);
  CHECK(error_of([&] { comparison_page({runs / "none"}); }).starts_with("3: "));
  const std::vector<std::string> many(7, runs / "one");
  CHECK(error_of([&] { comparison_page(many); }).starts_with("2: --report compares 6 runs at most"));
}
