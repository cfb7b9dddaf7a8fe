// Which checkpoints xformer-export average takes; what it makes of them: tests/e2e/export.sh.
#include "tools/app/average_checkpoints.h"

#include "nn/checkpoint/run_folder.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/nn/sample_checkpoint.h"
#include "tests/support/catch.h"
#include "tests/tools/parsed_options.h"
#include "tests/tools/trained_run.h"

using namespace xf;
using namespace xf::tools;
using xf::tests::error_of;

namespace {

// Saves of updates 1 to 6, of which `metrics` tells scores.
class Run {
 public:
  explicit Run(const std::string& metrics) {
    nn::RunFolder run(path(), [](const std::string&) {});
    for (int64_t update = 1; update <= 6; ++update) run.save(xf::tests::sample_checkpoint(update));
    folder_.write("run/config.toml", "keep-last = 4\n");
    folder_.write("run/metrics.jsonl", metrics);
  }
  std::string path() const { return folder_ / "run"; }
  std::string save(int64_t update) const {
    return path() + "/checkpoints/update-00000" + std::to_string(update);
  }

  std::vector<std::string> chosen(std::vector<std::string> words) const {
    words.insert(words.begin(), {"-m", path()});
    return chosen_checkpoints(xf::tests::parsed(AverageOptions(), words));
  }

 private:
  xf::tests::TemporaryFolder folder_;
};

constexpr const char* kLosses =
    R"({"event":"valid","update":1,"metric":"ce-mean-words","score":1.5,"best":true}
{"event":"valid","update":2,"metric":"ce-mean-words","score":3.5,"best":false}
{"event":"valid","update":2,"metric":"bleu","score":99}
{"event":"valid","update":4,"metric":"ce-mean-words","score":1.25,"best":true}
{"event":"valid","update":5,"metric":"ce-mean-words","score":2.5,"best":false}
)";

}  // namespace

TEST_CASE("Export average: a run's last checkpoints, as many as training averages unless told", "[unit]") {
  const Run run("");
  CHECK(run.chosen({}) == std::vector{run.save(3), run.save(4), run.save(5), run.save(6)});
  CHECK(run.chosen({"--last", "2"}) == std::vector{run.save(5), run.save(6)});
  CHECK_THAT(error_of([&] {
               run.chosen({"--last", "7"});
             }),
             Catch::StartsWith("2: ") && Catch::Contains("has 6 checkpoints, not 7"));
}

TEST_CASE("Export average: the best are those of the least loss or the highest score, added oldest first",
          "[unit]") {
  const Run by_loss(kLosses);
  CHECK(by_loss.chosen({"--best", "1"}) == std::vector{by_loss.save(4)});
  CHECK(by_loss.chosen({"--best", "3"}) == std::vector{by_loss.save(1), by_loss.save(4), by_loss.save(5)});
  CHECK_THAT(error_of([&] {
               by_loss.chosen({"--best", "5"});
             }),
             Catch::StartsWith("2: ") && Catch::Contains("has 4 checkpoints with a validation score, not 5"));
  std::string scores = kLosses;
  for (size_t at; (at = scores.find("ce-mean-words")) != std::string::npos;) scores.replace(at, 13, "chrf");
  const Run by_score(scores);
  CHECK(by_score.chosen({"--best", "2"}) == std::vector{by_score.save(2), by_score.save(5)});
}

TEST_CASE("Export average: scores of a metric that the run no longer chooses by are not compared with it",
          "[unit]") {
  const Run run(std::string(kLosses) +
                R"({"event":"valid","update":6,"metric":"bleu","score":7,"best":true})" + "\n");
  CHECK(run.chosen({"--best", "1"}) == std::vector{run.save(6)});
  CHECK(error_of([&] { run.chosen({"--best", "2"}); }).starts_with("2: "));
}

TEST_CASE("Export average: checkpoints that are named stay in their order, and nothing else may choose",
          "[unit]") {
  const Run run("");
  const auto chosen = [](const std::vector<std::string>& words) {
    return chosen_checkpoints(xf::tests::parsed(AverageOptions(), words));
  };
  CHECK(chosen({run.save(5), run.save(2)}) == std::vector{run.save(5), run.save(2)});
  CHECK(chosen({run.save(5), run.path()}) == std::vector{run.save(5), run.path() + "/latest"});
  CHECK(error_of([&] { chosen({run.path()}); }) ==
        "2: " + run.path() + " is a run; give -m " + run.path() + " to average its checkpoints");
  CHECK_THAT(error_of([&] { chosen({run.save(5), "-m", run.path()}); }), Catch::StartsWith("2: --model"));
  CHECK_THAT(error_of([&] { chosen({run.save(5), "--last", "1"}); }), Catch::StartsWith("2: --last"));
  CHECK_THAT(error_of([&] {
               run.chosen({"--last", "1", "--best", "1"});
             }),
             Catch::StartsWith("2: --last and --best"));
  CHECK_THAT(error_of([&] { chosen({}); }), Catch::StartsWith("2: xformer-export average needs"));
  CHECK_THAT(error_of([&] {
               chosen({"-m", run.save(5)});
             }),
             Catch::StartsWith("3: ") && Catch::Contains("run folder"));
}
