
#include <fmt/core.h>

#include <filesystem>

#include "core/file.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/tools/parsed_options.h"
#include "tests/tools/trained_run.h"
#include "tools/report/run_pictures.h"

using xf::tools::RunPictures;

namespace {

// What a run in this folder is told when its pictures are drawn.
std::vector<std::string> drawn(const xf::tests::TemporaryFolder& run) {
  const auto options = xf::tests::parsed_training({"-m", run / ""});
  return RunPictures(options).draw({});
}

}  // namespace

TEST_CASE("Curves: lines that are cut or somebody else's are passed over, and told", "[unit]") {
  const xf::tests::TemporaryFolder run;
  const std::string good = R"({"event":"valid","update":4,"metric":"bleu","score":12.5})";
  std::string lines;
  for (const char* bad :
       {R"({"event":"train"})", R"({"event":7})", R"({"event":"train","update":"x","loss":1})",
        R"({"event":"valid","score":null})", R"({"event":"tr)", "[1]", "7", ""}) {
    lines += std::string(bad) + "\n";
  }
  run.write("metrics.jsonl", lines + good + "\n");
  const auto options = xf::tests::parsed_training({"-m", run / ""});
  RunPictures pictures(options);
  const std::vector<std::string> told = pictures.draw({});
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("leave out 6 lines") != std::string::npos);
  CHECK(pictures.draw({}).empty());  // once
  CHECK(std::filesystem::exists(run / "loss.svg"));
  CHECK(std::filesystem::exists(run / "bleu.svg"));
}

TEST_CASE("Curves: what keeps them from being written is told, and stops nothing", "[unit]") {
  const xf::tests::TemporaryFolder run;
  run.write("metrics.jsonl", R"({"event":"train","update":1,"loss":2})"
                             "\n");
  std::filesystem::create_directory(run / "loss.svg");  // in the way of the file
  std::filesystem::create_directory(run / "report.html");
  const std::vector<std::string> told = drawn(run);
  REQUIRE(told.size() == 2);
  CHECK(told[0].starts_with("the curves were not drawn"));
  CHECK(told[1].starts_with("the report was not drawn"));
  std::filesystem::remove(run / "loss.svg");
  std::filesystem::remove(run / "report.html");
  CHECK(drawn(run).empty());
}

TEST_CASE("Curves: by epoch, training and validation in one plot, and the scores", "[unit]") {
  const xf::tests::TemporaryFolder run;
  std::string lines;
  for (int epoch = 1; epoch <= 3; ++epoch) {
    lines += fmt::format(R"({{"event":"epoch","epoch":{},"ce-mean-words":{},"ce-mean-batches":9}})", epoch,
                         5 - epoch);
    lines += "\n";
    for (const char* score :
         {R"("ce-mean-words","score":4)", R"("ce-mean-words","score":3)", R"("compat-bleu","score":20)"}) {
      lines +=
          fmt::format(R"({{"event":"valid","update":{},"epoch":{},"metric":{}}})", 10 * epoch, epoch, score);
      lines += "\n";
    }
  }
  run.write("metrics.jsonl", lines);
  CHECK(drawn(run).empty());
  const std::string loss = xf::read_file(run / "loss_by_epoch.svg"),
                    scores = xf::read_file(run / "bleu_by_epoch.svg");
  const auto dots = [](const std::string& text) {
    size_t count = 0;
    for (size_t at = text.find("<circle"); at != std::string::npos; at = text.find("<circle", at + 1))
      ++count;
    return count;
  };
  CHECK(dots(loss) == 6);  // an epoch of two validations has the last
  CHECK(dots(scores) == 3);
  for (const char* text : {">training<", ">validation<", ">epoch<", "Training result"})
    CHECK(loss.find(text) != std::string::npos);
  CHECK(scores.find(">tutorial-BLEU<") != std::string::npos);
  CHECK(scores.find(">BLEU<") == std::string::npos);  // not measured, not in the legend
}
