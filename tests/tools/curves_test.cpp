#include "tools/curves.h"

#include <filesystem>

#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

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
  CHECK(xf::tools::write_curves(run / "").find("leave out 6 lines") != std::string::npos);
  CHECK(std::filesystem::exists(run / "loss.svg"));
  CHECK(std::filesystem::exists(run / "bleu.svg"));
}

TEST_CASE("Curves: what keeps them from being written is told, and stops nothing", "[unit]") {
  const xf::tests::TemporaryFolder run;
  run.write("metrics.jsonl", R"({"event":"train","update":1,"loss":2})"
                             "\n");
  std::filesystem::create_directory(run / "loss.svg");  // in the way of the file
  CHECK(xf::tools::write_curves(run / "").find("the curves were not drawn") == 0);
  std::filesystem::remove(run / "loss.svg");
  CHECK(xf::tools::write_curves(run / "").empty());
}
